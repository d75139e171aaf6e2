// What the builder has gathered of the documents: counts by document, in row order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bm25/term_table.hpp"
#include "gnomon/bm25.hpp"

namespace gnomon::detail::bm25 {

// In a stream of counts: a term's number, with this bit when the next word is its count and not 1.
inline constexpr std::uint32_t kCountFollows = 0x80000000U;
// Counts from here on may have to be exceptions; they are few.
inline constexpr std::uint32_t kManyTimes = 8;

struct LargeCount {
    std::uint32_t term;
    std::uint32_t count;
};

// One thread's terms, and what it has counted in their numbers.
struct Shelf {
    TermTable table;
    std::vector<std::uint32_t> frequencies;  // documents a term
    std::vector<LargeCount> large;
};

// Consecutive documents that one thread has counted.
struct Piece {
    std::uint32_t shelf = 0;
    std::vector<std::uint32_t> stream;
    std::vector<std::uint32_t> distinct;  // terms a document
};

struct Gathered {
    BM25Settings settings;
    std::deque<Shelf> shelves;
    std::deque<Piece> pieces;
    std::vector<std::uint32_t> lengths;      // tokens a document
    std::vector<std::uint32_t> most_counts;  // its largest count
    std::uint64_t tokens = 0;
    bool whole = true;  // false while documents come in, and for ever if that was stopped
};

}  // namespace gnomon::detail::bm25
