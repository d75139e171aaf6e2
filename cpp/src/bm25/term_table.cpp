#include "bm25/term_table.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "bm25/term_hash.hpp"
#include "gnomon/steps.hpp"

namespace gnomon::detail {

namespace {

constexpr std::size_t kFirstSlots = 4096;
constexpr std::size_t kSlotWeight = 8;  // its term is hashed again, and put anywhere
constexpr std::size_t kMostTerms = (std::size_t{1} << 31U) - 1;
constexpr std::size_t kMostBytes = UINT32_MAX;

std::uint32_t tag_of(std::uint64_t hash) noexcept {
    return static_cast<std::uint32_t>(hash >> 32U);
}

}  // namespace

TermTable::TermTable() : slots_(kFirstSlots) {}

void TermTable::begin_document() noexcept {
    counts_.clear();
    if (++document_ == 0) {
        // Numbers of documents have come round: forget the old ones.
        for (Slot& slot : slots_) {
            slot.document = 0;
        }
        document_ = 1;
    }
}

bool TermTable::holds(const Slot& slot, std::string_view term, std::uint32_t tag) const noexcept {
    if (slot.tag != tag || slot.size != term.size()) {
        return false;
    }
    if (term.empty()) {
        return true;
    }
    const std::size_t near = std::min(term.size(), sizeof(slot.beginning));
    if (std::memcmp(slot.beginning, term.data(), near) != 0) {
        return false;
    }
    return near == term.size() || std::memcmp(bytes_.data() + terms_[slot.term - 1].offset + near,
                                              term.data() + near, term.size() - near) == 0;
}

void TermTable::count(std::string_view term, std::uint32_t times) {
    const std::uint64_t hash = term_hash(term);
    const std::uint32_t tag = tag_of(hash);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].term != 0 && !holds(slots_[at], term, tag)) {
        at = (at + 1) & mask;
    }
    Slot& slot = slots_[at];
    if (slot.term == 0) {
        insert(slot, term, tag);
    }
    if (slot.document == document_) {
        counts_[slot.position].count += times;
        return;
    }
    slot.document = document_;
    slot.position = static_cast<std::uint32_t>(counts_.size());
    counts_.push_back({slot.term - 1, times});
    if (terms_.size() * 3 > slots_.size() * 2) {
        grow();
    }
}

void TermTable::insert(Slot& slot, std::string_view term, std::uint32_t tag) {
    if (terms_.size() >= kMostTerms || term.size() > kMostBytes) {
        throw std::length_error("bm25: more than 2^31 - 1 distinct terms, or one of 4 GiB");
    }
    terms_.push_back({bytes_.size(), static_cast<std::uint32_t>(term.size())});
    bytes_.insert(bytes_.end(), term.begin(), term.end());
    slot = {tag, static_cast<std::uint32_t>(terms_.size()), 0,
            0,   static_cast<std::uint32_t>(term.size()),   {}};
    if (!term.empty()) {
        std::memcpy(slot.beginning, term.data(), std::min(term.size(), sizeof(slot.beginning)));
    }
}

void TermTable::grow() {
    std::vector<Slot> larger;
    resize_in_steps(larger, slots_.size() * 2);
    const std::size_t mask = larger.size() - 1;
    for (const auto [begin, end] : steps(slots_.size(), kSlotWeight)) {
        for (std::size_t number = begin; number < end; ++number) {
            const Slot& slot = slots_[number];
            if (slot.term == 0) {
                continue;
            }
            std::size_t at = term_hash(term(slot.term - 1)) & mask;
            while (larger[at].term != 0) {
                at = (at + 1) & mask;
            }
            larger[at] = slot;
        }
    }
    slots_ = std::move(larger);
}

}  // namespace gnomon::detail
