#include <algorithm>
#include <vector>

#include "gnomon/resample.hpp"
#include "gnomon/steps.hpp"

namespace gnomon {

namespace {

struct KeyedRow {
    std::uint64_t key;
    std::int64_t row;
};

bool drawn_before(const KeyedRow& a, const KeyedRow& b) noexcept {
    return a.key < b.key || (a.key == b.key && a.row < b.row);
}

// Keeps the `size` rows with the smallest keys: gathers up to twice as many, then drops the larger
// half.
class SmallestKeys {
  public:
    explicit SmallestKeys(std::size_t size) noexcept : size_(size) {}

    void offer(KeyedRow candidate) {
        if (cut_ && !drawn_before(candidate, kept_[size_ - 1])) {
            return;
        }
        kept_.push_back(candidate);
        if (kept_.size() / 2 >= size_) {
            cut();
        }
    }

    std::vector<std::int64_t> take() {
        if (kept_.size() > size_) {
            cut();
        }
        detail::sort_in_steps(kept_.begin(), kept_.end(), drawn_before);
        std::vector<std::int64_t> rows;
        detail::resize_in_steps(rows, kept_.size());
        for (const auto [begin, end] : detail::steps(rows.size())) {
            for (std::size_t i = begin; i < end; ++i) {
                rows[i] = kept_[i].row;
            }
        }
        return rows;
    }

  private:
    // Afterwards the largest key that is kept stands at size_ - 1.
    void cut() {
        detail::select_in_steps(kept_.begin(),
                                kept_.begin() + static_cast<std::ptrdiff_t>(size_ - 1), kept_.end(),
                                drawn_before);
        kept_.resize(size_);
        cut_ = true;
    }

    std::size_t size_;
    bool cut_ = false;
    std::vector<KeyedRow> kept_;
};

}  // namespace

void draw_keys(std::uint64_t seed, std::uint64_t purpose, std::span<std::uint64_t> out) {
    const KeyStream key(seed, purpose);
    for (const auto [begin, end] : detail::steps(out.size())) {
        for (std::size_t row = begin; row < end; ++row) {
            out[row] = key(row);
        }
    }
}

std::vector<std::int64_t> draw_rows(std::uint64_t seed, std::uint64_t purpose, std::size_t n,
                                    std::size_t size) {
    if (size == 0) {
        return {};
    }
    const KeyStream key(seed, purpose);
    SmallestKeys smallest(size);
    for (const auto [begin, end] : detail::steps(n)) {
        for (std::size_t row = begin; row < end; ++row) {
            smallest.offer({key(row), static_cast<std::int64_t>(row)});
        }
    }
    return smallest.take();
}

std::vector<std::int64_t> draw_rows_among(std::uint64_t seed, std::uint64_t purpose,
                                          std::span<const std::int64_t> rows, std::size_t size) {
    if (size == 0) {
        return {};
    }
    const KeyStream key(seed, purpose);
    SmallestKeys smallest(size);
    for (const auto [begin, end] : detail::steps(rows.size())) {
        for (const std::int64_t row : rows.subspan(begin, end - begin)) {
            smallest.offer({key(static_cast<std::uint64_t>(row)), row});
        }
    }
    return smallest.take();
}

}  // namespace gnomon
