// The ids of one query: where each stands in the list, and whether it was judged.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gnomon/steps.hpp"

namespace gnomon::detail {

// Open addressing in a table that is never cleared: a slot belongs to the query whose number it
// bears. Queries must be numbered from 0 to 2^32 - 2, ranks stay below 2^31.
class RankTable {
  public:
    // Room for up to `entries` ids a query.
    void reserve(std::size_t entries) {
        const std::size_t slots =
            std::max(slots_for(entries), slots_for(std::min(entries, kFewEntries)));
        if (slots_.size() < slots) {
            assign_in_steps(slots_, slots, Slot{});
        }
    }

    // Small queries use the front of the table, which stays in cache.
    void begin(std::size_t query, std::size_t entries) noexcept {
        owner_ = static_cast<std::uint32_t>(query) + 1;
        const std::size_t slots = slots_for(entries);
        mask_ = slots - 1;
        shift_ = 64 - std::countr_zero(slots);
    }

    // False when the list holds the id already.
    bool add(std::int64_t id, std::size_t rank) noexcept {
        Slot& slot = find(id);
        if (slot.owner == owner_) {
            return false;
        }
        slot = {id, owner_, static_cast<std::uint32_t>(rank)};
        return true;
    }

    // The rank of a judged id, 0 when it isn't listed, -1 when it was judged before.
    std::int64_t judge(std::int64_t id) noexcept {
        Slot& slot = find(id);
        if (slot.owner != owner_) {
            slot = {id, owner_, kJudged};
            return 0;
        }
        if ((slot.rank & kJudged) != 0) {
            return -1;
        }
        const std::int64_t rank = slot.rank;
        slot.rank |= kJudged;
        return rank;
    }

  private:
    static constexpr std::size_t kFewEntries = 512;
    static constexpr std::uint32_t kJudged = std::uint32_t{1} << 31U;

    struct Slot {
        std::int64_t id = 0;
        std::uint32_t owner = 0;
        std::uint32_t rank = 0;
    };

    // A branch that is predicted wrongly costs more than a slot, as long as the table stays in
    // cache.
    static std::size_t slots_for(std::size_t entries) noexcept {
        return std::bit_ceil((entries <= kFewEntries ? 8 : 2) * entries + 2);
    }

    // The slot of the id, or the free one where it belongs. At most half of the slots are taken.
    Slot& find(std::int64_t id) noexcept {
        // Multiplicative hashing by 2^64 over the golden ratio (Knuth, volume 3, section 6.4).
        std::size_t at = static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15U >> shift_;
        while (slots_[at].owner == owner_ && slots_[at].id != id) {
            at = (at + 1) & mask_;
        }
        return slots_[at];
    }

    std::vector<Slot> slots_;
    std::uint32_t owner_ = 0;
    std::size_t mask_ = 0;
    int shift_ = 63;
};

}  // namespace gnomon::detail
