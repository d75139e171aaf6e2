// A query as an index sees it, and the exact score of one document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bm25/index_data.hpp"
#include "bm25/posting_list.hpp"

namespace gnomon::detail::bm25 {

struct QueryTerm {
    std::uint32_t term;
    double weight;  // qtf * idf, above 0
    PostingList list;
};

// The number of the term with these bytes, or kFreeSlot.
std::uint32_t find_term(const IndexData& data, std::string_view bytes);

// A query's distinct terms that the index knows and that weigh anything, ascending by number.
class Query {
  public:
    // Replaces the query. Throws IndexFileError.
    void set(const IndexData& data, std::span<const std::string_view> tokens);

    std::span<const QueryTerm> terms() const noexcept { return terms_; }
    std::uint64_t postings() const noexcept { return postings_; }

    // The definition of a score.
    float score(const IndexData& data, const TermPart& part, std::uint32_t row) const noexcept;

  private:
    std::vector<QueryTerm> terms_;
    std::vector<std::uint32_t> numbers_;
    std::uint64_t postings_ = 0;
};

}  // namespace gnomon::detail::bm25
