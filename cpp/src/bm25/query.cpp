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

float Query::score(const IndexData& data, const TermPart& part, std::uint32_t row) const noexcept {
    const double norm = part.norm_of(data.view.lengths()[row]);
    double sum = 0.0;
    for (const QueryTerm& term : terms_) {
        const Stretch stretch = term.list.stretch_of(row);
        const std::uint32_t at = term.list.find(row, stretch);
        if (at != stretch.end) {
            sum += term.weight * part(term.list.count(at), norm);
        }
    }
    return static_cast<float>(sum);
}

}  // namespace gnomon::detail::bm25
