// Exact cosine top-k over the rows of a matrix.
//
// Formula: score(u, x) = dot(u, x) / (|u| |x|) in float64 lanes, rounded once to float32, clipped
// to [-1, 1] (cpp/src/score/score.hpp is the definition). Hits are ordered by score descending,
// then row ascending. Preconditions: queries and documents have the same number of columns;
// exclusions and subset hold rows of the documents, ascending. Anything else throws
// std::invalid_argument. Edge cases: a row or query of norm 0 scores 0.0; NaN or infinity throws
// NonFiniteError; k may exceed the number of admissible rows and then all of them are hits; no
// rows, no queries and an empty subset give empty lists. The result depends on nothing but the
// values: not on instruction set, threads, blocks, source or the other queries of the call.
// docs/kernels/cosine.md derives the bound by which rows are skipped. Complexity: O(Q n d) int8
// operations, O((k + rows near the k-th) d) float64 ones a query; extra memory O(threads x block +
// Q k).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gnomon/errors.hpp"
#include "gnomon/hits.hpp"
#include "gnomon/matrix.hpp"
#include "gnomon/threads.hpp"

namespace gnomon {

// Queries that share k and a row class.
struct SearchRequest {
    MatrixView queries;
    std::size_t k = 0;
    std::optional<std::uint8_t> row_class;  // only rows with this label, when set
    std::span<const std::int64_t>
        exclude_offsets;  // queries.rows + 1 offsets into exclude_rows, or empty
    std::span<const std::int64_t> exclude_rows;  // ascending for each query
};

struct SearchOptions {
    std::optional<std::span<const std::int64_t>>
        subset;                                // the only rows to search, ascending and distinct
    std::span<const std::uint8_t> row_labels;  // one a row, or empty
    int threads = 1;
    Interrupted interrupted;
    // Told how many of all row-query pairs are done; called like `interrupted`. May be empty.
    std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

// Diagnostics; they vary with instruction set and threads and belong in no record.
struct SearchCounters {
    std::uint64_t pairs_screened = 0;
    // Pairs that the screen let through, without copies that rank behind k others.
    std::uint64_t candidates = 0;
    std::uint64_t rescored = 0;   // pairs whose score was computed in float64
    std::uint64_t zero_rows = 0;  // rows without a direction, counted in every pass
    std::uint64_t repeated = 0;   // queries whose first threshold was guessed too high
};

struct SearchResult {
    std::vector<HitLists> lists;  // one for each request
    std::size_t zero_queries = 0;
    std::size_t zero_rows = 0;  // of the rows passed over; 0 when no query has a direction
    SearchCounters counters;
};

// Arrays in, answer out: documents are screened block by block and never copied as a whole.
SearchResult cosine_top_k(const MatrixView& docs, std::span<const SearchRequest> requests,
                          const SearchOptions& options);

// Documents prepared once and searched many times; answers are those of cosine_top_k.
// Keeps a view of `docs`, which must outlive the index and must not change.
class VectorIndex {
  public:
    // Throws NonFiniteError.
    VectorIndex(const MatrixView& docs, int threads, const Interrupted& interrupted);
    VectorIndex(VectorIndex&&) noexcept;
    VectorIndex& operator=(VectorIndex&&) noexcept;
    ~VectorIndex();

    // An index file (index_file.hpp) by memory map; `descriptor` may be closed afterwards, `name`
    // is what messages call the file. Throws IndexFileError, here or when a block is first touched
    // or the file is found cut short.
    static VectorIndex open(int descriptor, const std::string& name);

    // Writes the index file into an empty, open file. Throws std::system_error.
    void save(int descriptor, const Interrupted& interrupted) const;

    // Checks all of an opened file; does nothing for an index that was built here.
    void verify(int threads, const Interrupted& interrupted) const;

    std::size_t rows() const noexcept;
    std::size_t cols() const noexcept;
    std::size_t zero_rows() const noexcept;

    // Bytes of codes and per-row values, beside the documents: d rounded up to 4, and 16, for each
    // row of a whole number of tiles of 16 rows.
    std::uint64_t bytes() const noexcept;

    SearchResult search(std::span<const SearchRequest> requests,
                        const SearchOptions& options) const;

  private:
    struct Prepared;
    explicit VectorIndex(std::unique_ptr<Prepared> prepared);
    std::unique_ptr<Prepared> prepared_;
};

}  // namespace gnomon
