// An index file under a memory map, verified where it is touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cosine/index_layout.hpp"
#include "cosine/prepared.hpp"
#include "gnomon/threads.hpp"

namespace gnomon::detail {

class MappedFile {
  public:
    // Maps all of the open file, which may be closed afterwards. Throws IndexFileError when it
    // isn't a regular file or has less than a page, std::system_error when it can't be mapped.
    explicit MappedFile(int descriptor);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    MappedFile(MappedFile&&) = delete;
    MappedFile& operator=(MappedFile&&) = delete;

    const unsigned char* data() const noexcept { return data_; }
    std::uint64_t size() const noexcept { return size_; }

    // Bytes that the file has now; reading mapped bytes behind them would end the process.
    std::uint64_t size_now() const;

  private:
    const unsigned char* data_ = nullptr;
    std::uint64_t size_ = 0;
    int descriptor_ = -1;
};

class IndexReader final : public TouchGuard {
  public:
    // `name` is what messages call the file. Throws IndexFileError.
    IndexReader(int descriptor, std::string name);

    const PreparedRows& prepared() const noexcept { return prepared_; }
    std::size_t zero_rows() const noexcept { return header_.shape.zero_rows; }

    void touch_tiles(std::size_t first, std::size_t end) override;
    void touch_row(std::size_t row) override;
    void check_size() const override;
    [[noreturn]] void refuse_bounds() const override;

    // Checks every block again.
    void verify(int threads, const Interrupted& interrupted) const;

  private:
    void touch(const FilePart& part, std::uint64_t begin, std::uint64_t end);
    void check_block(std::uint64_t block) const;
    std::uint64_t blocks() const noexcept;

    std::string name_;
    MappedFile file_;
    IndexHeader header_;
    PreparedRows prepared_;
    std::vector<std::atomic<bool>> checked_;  // one a block
};

}  // namespace gnomon::detail
