#include "bm25/query.hpp"

#include <algorithm>
#include <functional>

#include "bm25/term_hash.hpp"
#include "gnomon/steps.hpp"

namespace gnomon::detail::bm25 {

namespace {

constexpr std::size_t kTokenWeight = 64;  // to find its term misses every cache

}  // namespace

std::uint32_t find_term(const IndexData& data, std::string_view bytes) {
    const IndexView& view = data.view;
    const std::uint64_t mask = view.shape.slots - 1;
    std::uint64_t at = term_hash(bytes) & mask;
    for (std::uint64_t tries = 0; tries <= mask; ++tries, at = (at + 1) & mask) {
        if (data.guard) {
            data.guard->slot(at);
        }
        const std::uint32_t term = view.slots()[at];
        if (term == kFreeSlot) {
            break;
        }
        if (data.guard) {
            data.guard->spelling(term);
        }
        if (view.spelling(term) == bytes) {
            return term;
        }
    }
    return kFreeSlot;
}

void Query::set(const IndexData& data, std::span<const std::string_view> tokens) {
    terms_.clear();
    numbers_.clear();
    postings_ = 0;
    metered(tokens.size(), [&](auto meter) {
        for (const std::string_view token : tokens) {
            meter.add(kTokenWeight);
            const std::uint32_t term = find_term(data, token);
            if (term != kFreeSlot) {
                numbers_.push_back(term);
            }
        }
    });
    sort_in_steps(numbers_.begin(), numbers_.end(), std::less<>());
    const IndexShape& shape = data.view.shape;
    metered(numbers_.size(), [&](auto meter) {
        for (auto first = numbers_.begin(); first != numbers_.end();) {
            meter.add(kTokenWeight);
            const auto last =
                std::find_if(first, numbers_.end(), [first](auto n) { return n != *first; });
            if (data.guard) {
                data.guard->list(*first);
            }
            const PostingList list(data.view, *first);
            const double weight =
                static_cast<double>(last - first) *
                inverse_document_frequency(shape.settings.variant, shape.docs, list.size());
            if (weight > 0.0) {
                terms_.push_back({*first, weight, list});
                postings_ += list.size();
            }
            first = last;
        }
    });
}

std::span<const double> Query::score(const IndexData& data, const TermPart& part,
                                     std::span<const std::uint32_t> rows, std::uint16_t* slots) {
    if (norms_.size() < rows.size()) {
        resize_in_steps(norms_, rows.size());
        resize_in_steps(sums_, rows.size());
        // One place more than can be filled: what isn't found is written there and overwritten.
        resize_in_steps(holders_, rows.size() + 1);
        resize_in_steps(found_, rows.size() + 1);
    }
    const std::uint32_t* lengths = data.view.lengths();
    metered(rows.size(), [&](auto meter) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            meter.add(1);
            norms_[i] = part.norm_of(lengths[rows[i]]);
            sums_[i] = 0.0;
        }
    });
    Meter meter;
    for (std::size_t begin = 0; begin < rows.size();) {
        const std::uint32_t window = rows[begin] >> kWindowBits;
        std::size_t end = begin + 1;
        while (end < rows.size() && rows[end] >> kWindowBits == window) {
            ++end;
        }
        score_group(part, rows, {begin, end, window}, slots);
        meter.add((end - begin) * kTokenWeight);
        begin = end;
    }
    return std::span(sums_).first(rows.size());
}

void Query::score_group(const TermPart& part, std::span<const std::uint32_t> rows, Group group,
                        std::uint16_t* slots) {
    // A search costs as much as passing so many postings.
    constexpr std::size_t kSearchCost = 12;
    const std::size_t size = group.end - group.begin;
    for (std::size_t i = 0; i < size; ++i) {
        slots[rows[group.begin + i] & (kWindowRows - 1)] = static_cast<std::uint16_t>(i + 1);
    }
    for (const QueryTerm& term : terms_) {
        const PostingList& list = term.list;
        const std::size_t postings =
            list.is_long() ? list.window(group.window).size() : list.size();
        const std::size_t holders =
            postings < kSearchCost * size ? pass(list, group, slots) : search(list, rows, group);
        for (std::size_t i = 0; i < holders; ++i) {
            const std::size_t row = group.begin + holders_[i];
            sums_[row] += term.weight * part(list.count(found_[i]), norms_[row]);
        }
    }
    for (std::size_t i = 0; i < size; ++i) {
        slots[rows[group.begin + i] & (kWindowRows - 1)] = 0;
    }
}

// Searches the list for every document of the group: the searches don't wait for each other, and
// nothing branches on what they find.
std::size_t Query::search(const PostingList& list, std::span<const std::uint32_t> rows,
                          Group group) {
    std::size_t holders = 0;
    const auto collect = [&](auto find) {
        for (std::size_t i = group.begin; i < group.end; ++i) {
            const auto [at, there] = find(rows[i]);
            holders_[holders] = static_cast<std::uint32_t>(i - group.begin);
            found_[holders] = at;
            holders += there ? 1 : 0;
        }
    };
    if (list.is_long()) {
        const Stretch in = list.window(group.window);
        collect([&list, in](std::uint32_t row) { return list.find_long(row, in); });
    } else {
        const Stretch in{0, list.size()};
        collect([&list, in](std::uint32_t row) { return list.find_short(row, in); });
    }
    return holders;
}

// Passes over the postings of the group's window and asks each whether its document is wanted.
std::size_t Query::pass(const PostingList& list, Group group, const std::uint16_t* slots) {
    std::size_t holders = 0;
    const auto take = [&](std::uint32_t at, std::uint32_t slot) {
        holders_[holders] = slot - 1;
        found_[holders] = at;
        holders += slot != 0 ? 1 : 0;
    };
    if (list.is_long()) {
        const Stretch in = list.window(group.window);
        for (std::uint32_t at = in.begin; at < in.end; ++at) {
            take(at, slots[list.places()[at] >> kCountBits]);
        }
        return holders;
    }
    for (std::uint32_t at = 0; at < list.size(); ++at) {
        const std::uint32_t row = list.rows()[at];
        const std::uint32_t slot = slots[row & (kWindowRows - 1)];
        take(at, row >> kWindowBits == group.window ? slot : 0);
    }
    return holders;
}

}  // namespace gnomon::detail::bm25
