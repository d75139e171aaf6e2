#include "bm25/query.hpp"

#include <algorithm>

#include "bm25/term_hash.hpp"

namespace gnomon::detail::bm25 {

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
    for (const std::string_view token : tokens) {
        const std::uint32_t term = find_term(data, token);
        if (term != kFreeSlot) {
            numbers_.push_back(term);
        }
    }
    std::sort(numbers_.begin(), numbers_.end());
    const IndexShape& shape = data.view.shape;
    for (auto first = numbers_.begin(); first != numbers_.end();) {
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
}

std::span<const double> Query::score(const IndexData& data, const TermPart& part,
                                     std::span<const std::uint32_t> rows) {
    norms_.resize(rows.size());
    sums_.assign(rows.size(), 0.0);
    holders_.resize(rows.size());
    found_.resize(rows.size());
    const std::uint32_t* lengths = data.view.lengths();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        norms_[i] = part.norm_of(lengths[rows[i]]);
    }
    for (const QueryTerm& term : terms_) {
        add_term(term, part, rows);
    }
    return sums_;
}

// The searches don't wait for each other, and nothing branches on what they find.
void Query::add_term(const QueryTerm& term, const TermPart& part,
                     std::span<const std::uint32_t> rows) {
    const PostingList& list = term.list;
    std::size_t holders = 0;
    const auto collect = [&](auto find) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const auto [at, there] = find(rows[i]);
            holders_[holders] = static_cast<std::uint32_t>(i);
            found_[holders] = at;
            holders += there ? 1 : 0;
        }
    };
    if (list.is_long()) {
        collect([&list](std::uint32_t row) { return list.find_long(row); });
    } else {
        collect([&list](std::uint32_t row) { return list.find_short(row); });
    }
    for (std::size_t i = 0; i < holders; ++i) {
        const std::uint32_t row = holders_[i];
        sums_[row] += term.weight * part(list.count(found_[i]), norms_[row]);
    }
}

}  // namespace gnomon::detail::bm25
