#include "bm25/exhaustive.hpp"

#include <algorithm>

#include "gnomon/steps.hpp"

namespace gnomon::detail::bm25 {

namespace {

constexpr std::size_t kTermWeight = 8;  // whether it has a posting or none

// Adds a term's contributions within a window. Returns whether there were any.
bool add_term(const IndexData& data, const TermPart& part, const QueryTerm& term,
              std::size_t window, std::uint32_t& position, std::vector<double>& exact) {
    const PostingList& list = term.list;
    const std::size_t first_row = window << kWindowBits;
    std::uint32_t at = position;
    const std::uint32_t end = list.is_long() ? list.window(window).end : list.size();
    for (; at < end; ++at) {
        const std::size_t row = list.is_long() ? first_row + (list.places()[at] >> kCountBits)
                                               : std::size_t{list.rows()[at]};
        if (row >= first_row + kWindowRows) {
            break;
        }
        exact[row - first_row] +=
            term.weight * part(list.count(at), part.norm_of(data.view.lengths()[row]));
    }
    const bool any = at != position;
    position = at;
    return any;
}

}  // namespace

void score_windows(const IndexData& data, const Query& query, std::vector<double>& exact,
                   const ScoreSink& sink) {
    const TermPart part = data.part();
    std::vector<std::uint32_t> positions(query.terms().size());
    exact.assign(kWindowRows, 0.0);
    const std::size_t docs = data.view.shape.docs;
    Meter meter;
    for (std::size_t window = 0; window < data.view.shape.windows(); ++window) {
        meter.add(kWindowRows + kTermWeight * positions.size());
        bool any = false;
        for (std::size_t i = 0; i < positions.size(); ++i) {
            any |= add_term(data, part, query.terms()[i], window, positions[i], exact);
        }
        if (any) {
            const std::size_t first_row = window << kWindowBits;
            const std::size_t rows = std::min(kWindowRows, docs - first_row);
            sink(first_row, std::span<const double>(exact).first(rows));
            std::fill(exact.begin(), exact.end(), 0.0);
        }
    }
}

void exhaustive_top_k(const IndexData& data, const Admission& admission, std::size_t k,
                      Workspace& workspace, BM25Counters& counters) {
    TopHits top(k);
    score_windows(data, workspace.query, workspace.exact,
                  [&](std::size_t first_row, std::span<const double> scores) {
                      for (std::size_t i = 0; i < scores.size(); ++i) {
                          const auto score = static_cast<float>(scores[i]);
                          const std::size_t row = first_row + i;
                          if (score > 0.0F && score >= top.threshold() &&
                              admission.admits(static_cast<std::uint32_t>(row))) {
                              top.offer({score, static_cast<std::int64_t>(row)});
                          }
                      }
                  });
    workspace.hits = top.take();
    counters.postings_screened += workspace.query.postings();
    counters.rescored += workspace.query.postings();
}

}  // namespace gnomon::detail::bm25
