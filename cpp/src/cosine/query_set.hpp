// The queries of a search, coded and packed into blocks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cosine/bound.hpp"
#include "cosine/buffer.hpp"
#include "cosine/coder.hpp"
#include "cosine/tiles.hpp"
#include "gnomon/cosine.hpp"
#include "gnomon/isa.hpp"

namespace gnomon::detail {

struct Query {
    const float* values = nullptr;  // as float32, contiguous
    double norm = 0.0;
    std::size_t k = 0;
    std::optional<std::uint8_t> row_class;
    std::span<const std::int64_t> excluded;  // ascending
};

// All queries of the requests, one after the other. Throws NonFiniteError.
class QuerySet {
  public:
    QuerySet(std::span<const SearchRequest> requests, std::size_t most_hits, Isa isa);

    std::size_t size() const noexcept { return queries_.size(); }
    const Query& operator[](std::size_t q) const noexcept { return queries_[q]; }
    std::span<const Query> all() const noexcept { return queries_; }

  private:
    std::vector<std::vector<float>> converted_;  // of each request that isn't contiguous float32
    std::vector<Query> queries_;
};

// Queries of non-zero norm in blocks that the screen takes.
class CodedQueries {
  public:
    struct Block {
        std::size_t first = 0;  // entries [first, first + used) of ids and terms
        std::size_t used = 0;
        std::size_t queries = 0;  // with empty ones that fill up the block
        std::size_t code_offset = 0;
    };

    // `ids` are positions in `queries`.
    CodedQueries(const QuerySet& queries, std::span<const std::size_t> ids, const RowCoder& coder);

    std::span<const Block> blocks() const noexcept { return blocks_; }
    std::size_t id(std::size_t entry) const noexcept { return ids_[entry]; }
    const BoundTerms& terms(std::size_t entry) const noexcept { return terms_[entry]; }

    // floor: the current one of each query of the block; kBlockQueries values.
    QueryBlock view(const Block& block, const float* floor) const noexcept;

  private:
    std::int32_t place(std::span<const std::uint8_t> biased, const Block& block,
                       std::size_t i) noexcept;

    std::vector<std::size_t> ids_;
    std::vector<BoundTerms> terms_;
    std::vector<Block> blocks_;
    std::vector<float> gain_;  // kBlockQueries for each block, like start_
    std::vector<std::int32_t> start_;
    Buffer codes_;
};

}  // namespace gnomon::detail
