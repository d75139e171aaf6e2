// Checks the contents of an index file where they are first used.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bm25/layout.hpp"
#include "gnomon/threads.hpp"

namespace gnomon::detail::bm25 {

// Every function throws IndexFileError when what it looks at is damaged, contradicts itself or the
// rest. What it has accepted is as trustworthy as what the builder makes. May be called from
// several threads.
class FileGuard {
  public:
    FileGuard(const IndexView& view, const std::uint64_t* checksums, std::string name);

    void note() { touch_all(view_.parts.note); }
    void lengths();
    void slot(std::size_t number);
    // The bytes of a term, whose number must be below terms.
    void spelling(std::size_t term);
    // The list of a term, likewise, and the lengths.
    void list(std::size_t term) {
        if (!accepted_[term].load(std::memory_order_acquire)) {
            check_list(term);
            accepted_[term].store(true, std::memory_order_release);
        }
    }

    // Everything, again.
    void verify(int threads, const Interrupted& interrupted);

  private:
    void touch(const FilePart& part, std::uint64_t begin, std::uint64_t end);
    void touch_all(const FilePart& part) { touch(part, 0, part.size); }
    void check_block(std::uint64_t block) const;
    void check_list(std::size_t term);
    void check_vocabulary(std::size_t term);
    void check_long(const TermEntry& entry);
    void check_short(const TermEntry& entry);
    void check_posting(std::uint64_t row, std::uint32_t held, std::uint32_t holds,
                       std::uint64_t place, std::uint16_t part) const;
    void check_tops(const TermEntry& entry, const std::uint16_t* parts);
    void exceptions();
    void check_exceptions();
    [[noreturn]] void contradiction(const char* what) const;

    IndexView view_;
    const std::uint64_t* checksums_;
    std::string name_;
    std::vector<std::atomic<bool>> checked_;   // one a block
    std::vector<std::atomic<bool>> accepted_;  // one a list
    std::atomic<bool> lengths_accepted_{false};
    std::atomic<bool> exceptions_accepted_{false};
};

}  // namespace gnomon::detail::bm25
