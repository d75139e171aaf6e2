// Numbers the distinct ids of a query, in the order in which they come.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gnomon/resample.hpp"
#include "gnomon/steps.hpp"

namespace gnomon::detail {

class IdTable {
  public:
    // Room for this many ids; all earlier ones are forgotten.
    void reset(std::size_t most_ids) {
        const std::size_t slots = std::bit_ceil(2 * most_ids + 2);
        if (slots_.size() < slots) {
            resize_in_steps(slots_, slots);
        }
        last_slot_ = slots - 1;
        shift_ = 64U - static_cast<unsigned>(std::countr_zero(slots));
        fill_in_steps(std::span(slots_).first(slots), kFree);
        ids_.clear();
        ids_.reserve(most_ids);
    }

    std::uint32_t number_of(std::int64_t id) noexcept {
        const auto bits = static_cast<std::uint64_t>(id);
        auto at = static_cast<std::size_t>(((bits ^ (bits >> 32U)) * kGolden) >> shift_);
        while (slots_[at] != kFree) {
            if (ids_[slots_[at]] == id) {
                return slots_[at];
            }
            at = (at + 1) & last_slot_;
        }
        slots_[at] = static_cast<std::uint32_t>(ids_.size());
        ids_.push_back(id);
        return slots_[at];
    }

    std::size_t size() const noexcept { return ids_.size(); }
    std::int64_t id(std::uint32_t number) const noexcept { return ids_[number]; }

  private:
    static constexpr std::uint32_t kFree = 0xFFFFFFFFU;

    std::vector<std::uint32_t> slots_;
    std::size_t last_slot_ = 0;
    unsigned shift_ = 63;
    std::vector<std::int64_t> ids_;
};

}  // namespace gnomon::detail
