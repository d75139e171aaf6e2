// The distinct terms that one thread of the builder has met, and what it counts in a document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gnomon::detail {

// Terms are numbered in the order in which they came.
class TermTable {
  public:
    TermTable();

    // What begin_document() and count() have gathered: the distinct terms of a document in the
    // order of their first occurrence.
    struct Count {
        std::uint32_t term;
        std::uint32_t count;
    };

    void begin_document() noexcept;
    void count(std::string_view term, std::uint32_t times = 1);
    const std::vector<Count>& counts() const noexcept { return counts_; }

    std::size_t size() const noexcept { return terms_.size(); }
    std::string_view term(std::size_t number) const noexcept {
        const Place place = terms_[number];
        return {bytes_.data() + place.offset, place.size};
    }

  private:
    struct Place {
        std::uint64_t offset;
        std::uint32_t size;
    };
    // A term's beginning stands in its slot, so that most look-ups touch nothing else.
    struct Slot {
        std::uint32_t tag;
        std::uint32_t term;  // its number + 1; 0 when free
        std::uint32_t document;
        std::uint32_t position;  // in counts_, when `document` is the current one
        std::uint32_t size;
        char beginning[12];
    };

    bool holds(const Slot& slot, std::string_view term, std::uint32_t tag) const noexcept;
    void insert(Slot& slot, std::string_view term, std::uint32_t tag);
    void grow();

    std::vector<Slot> slots_;
    std::vector<Place> terms_;
    std::vector<char> bytes_;
    std::vector<Count> counts_;
    std::uint32_t document_ = 0;
};

}  // namespace gnomon::detail
