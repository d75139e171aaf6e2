// A few code points that normalisation has to look at together: a starter and whatever may be
// sorted behind it or composed with it (Unicode Standard, section 3.11).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/tables/tables.hpp"

namespace gnomon::detail {

// Whether what a code point folds to may be sorted or composed with what stands before it.
bool begins_with_combining(char32_t cp) noexcept;

// The primary composite of two code points, or 0.
char32_t composite(char32_t first, char32_t second) noexcept;

class Segment {
  public:
    void clear() noexcept { marks_.clear(); }

    // Appends what a code point folds to, decomposed; the iota subscript stays one until compose().
    void add_folded(char32_t cp);

    // Sorts and composes: afterwards the segment is in normalisation form C.
    void compose();

    std::size_t size() const noexcept { return marks_.size(); }
    char32_t operator[](std::size_t i) const noexcept { return marks_[i].cp; }

  private:
    struct Mark {
        char32_t cp;
        std::uint8_t combining_class;
    };

    void add_decomposed(char32_t cp);
    void add(char32_t cp) { marks_.push_back({cp, Folding::of(cp).combining_class()}); }
    void sort();

    std::vector<Mark> marks_;
};

}  // namespace gnomon::detail
