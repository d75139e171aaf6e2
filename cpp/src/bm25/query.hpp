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

    // The scores of some documents, each a sum in ascending order of the terms. Documents of one
    // window stand together. `slots` has a place for every row of a window, all of them 0 before
    // and after. Valid until the next call.
    std::span<const double> score(const IndexData& data, const TermPart& part,
                                  std::span<const std::uint32_t> rows, std::uint16_t* slots);

  private:
    // Documents [begin, end) of those to score; they share a window.
    struct Group {
        std::size_t begin;
        std::size_t end;
        std::uint32_t window;
    };

    void score_group(const TermPart& part, std::span<const std::uint32_t> rows, Group group,
                     std::uint16_t* slots);
    std::size_t search(const PostingList& list, std::span<const std::uint32_t> rows, Group group);
    std::size_t pass(const PostingList& list, Group group, const std::uint16_t* slots);

    std::vector<QueryTerm> terms_;
    std::vector<std::uint32_t> numbers_;
    std::uint64_t postings_ = 0;
    std::vector<double> norms_;
    std::vector<double> sums_;
    std::vector<std::uint32_t> holders_;  // which of the rows hold a term,
    std::vector<std::uint32_t> found_;    // and where they stand in its list
};

}  // namespace gnomon::detail::bm25
