// One term's postings, where they lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bm25/layout.hpp"

namespace gnomon::detail::bm25 {

// A stretch of a list.
struct Stretch {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    std::uint32_t size() const noexcept { return end - begin; }
};

class PostingList {
  public:
    PostingList(const IndexView& view, std::size_t term) noexcept
        : view_(&view), entry_(&view.terms()[term]),
          is_long_(view.shape.is_long(entry_->frequency)) {
        const std::uint64_t start = entry_->start;
        if (is_long_) {
            const std::uint64_t directory = entry_->directory * view.shape.windows();
            places_ = view.long_places() + start;
            parts_ = view.long_parts() + start;
            ends_ = view.window_ends() + directory;
            tops_ = view.window_tops() + directory;
        } else {
            rows_ = view.short_rows() + start;
            counts_ = view.short_counts() + start;
            parts_ = view.short_parts() + start;
        }
    }

    bool is_long() const noexcept { return is_long_; }
    std::uint32_t size() const noexcept { return entry_->frequency; }
    std::uint16_t top() const noexcept { return entry_->top; }

    // The largest part that `rank` documents at least have, or 0 when that isn't known.
    std::uint16_t part_of_rank(std::size_t rank) const noexcept {
        for (std::size_t i = 0; i < kBestRanks.size(); ++i) {
            if (rank <= kBestRanks[i] && rank <= size()) {
                return entry_->best[i];
            }
        }
        return 0;
    }

    const std::uint16_t* parts() const noexcept { return parts_; }
    const std::uint16_t* places() const noexcept { return places_; }  // long lists only
    const std::uint32_t* rows() const noexcept { return rows_; }      // short lists only

    // Long lists: the postings of a window, and their largest part.
    Stretch window(std::size_t number) const noexcept {
        return {number == 0 ? 0 : ends_[number - 1], ends_[number]};
    }
    std::uint16_t window_top(std::size_t number) const noexcept { return tops_[number]; }

    struct Found {
        std::uint32_t at;
        bool there;  // else `at` means nothing
    };

    // Where a row stands in a long or a short list, searched for in a stretch that would hold it.
    Found find_long(std::uint32_t row, Stretch in) const noexcept {
        const auto key = static_cast<std::uint16_t>((row & (kWindowRows - 1)) << kCountBits);
        const auto [at, inside] = first_not_below(places_, in, key);
        return {at, inside && (places_[at] ^ key) < kLongCounts};
    }
    Found find_short(std::uint32_t row, Stretch in) const noexcept {
        const auto [at, inside] = first_not_below(rows_, in, row);
        return {at, inside && rows_[at] == row};
    }

    // How often the document of posting `at` holds the term.
    std::uint32_t count(std::uint32_t at) const noexcept {
        const std::uint32_t held = is_long_ ? places_[at] & (kLongCounts - 1) : counts_[at];
        if (held != 0) {
            return held;
        }
        return view_->exception(entry_->start + at + (is_long_ ? view_->shape.short_postings : 0));
    }

  private:
    // The first key of an ascending stretch that isn't below `key`, and whether there is one; when
    // there is none, a place that may be read. No branch that could be guessed wrong.
    template <typename Key>
    static Found first_not_below(const Key* keys, Stretch in, Key key) noexcept {
        std::uint32_t base = in.begin;
        std::uint32_t n = in.size();
        if (n == 0) {
            return {0, false};
        }
        while (n > 1) {
            const std::uint32_t half = n / 2;
            base += half & (0U - static_cast<std::uint32_t>(keys[base + half - 1] < key));
            n -= half;
        }
        const bool below = keys[base] < key;
        return {below ? 0 : base, !below};
    }

    const IndexView* view_;
    const TermEntry* entry_;
    bool is_long_;
    const std::uint16_t* places_ = nullptr;
    const std::uint16_t* parts_ = nullptr;
    const std::uint32_t* ends_ = nullptr;
    const std::uint16_t* tops_ = nullptr;
    const std::uint32_t* rows_ = nullptr;
    const std::uint8_t* counts_ = nullptr;
};

}  // namespace gnomon::detail::bm25
