#include "cosine/query_set.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string>

#include "cosine/row_source.hpp"
#include "gnomon/steps.hpp"
#include "score/rows.hpp"
#include "score/score.hpp"

namespace gnomon::detail {

namespace {

constexpr std::size_t kQueryWeight = 64;  // of one without dimensions

std::string name_of(std::size_t request, std::size_t requests) {
    return requests == 1 ? "queries" : "requests[" + std::to_string(request) + "].queries";
}

std::span<const std::int64_t> exclusions(const SearchRequest& request, std::size_t q) noexcept {
    if (request.exclude_offsets.empty()) {
        return {};
    }
    const auto begin = static_cast<std::size_t>(request.exclude_offsets[q]);
    const auto end = static_cast<std::size_t>(request.exclude_offsets[q + 1]);
    return request.exclude_rows.subspan(begin, end - begin);
}

std::size_t block_size_for(std::size_t queries) noexcept {
    return *std::lower_bound(std::begin(kBlockSizes), std::end(kBlockSizes), queries);
}

}  // namespace

QuerySet::QuerySet(std::span<const SearchRequest> requests, std::size_t most_hits, Isa isa) {
    const ScoreKernel& kernel = score_kernel(isa);
    Meter meter;
    for (std::size_t r = 0; r < requests.size(); ++r) {
        const SearchRequest& request = requests[r];
        const MatrixView& rows = request.queries;
        const bool in_place = stands_as_floats(rows);
        std::vector<float>& copy = converted_.emplace_back();
        resize_in_steps(copy, in_place ? 0 : rows.rows * rows.cols);
        for (std::size_t q = 0; q < rows.rows; ++q) {
            meter.add(kQueryWeight + rows.cols);
            const float* values =
                row_f32(rows, q, in_place ? nullptr : copy.data() + q * rows.cols, isa);
            const double norm = detail::norm(kernel, values, rows.cols);
            if (!std::isfinite(norm)) {  // squares of finite float32 values can't overflow float64
                throw NonFiniteError(name_of(r, requests.size()), q);
            }
            queries_.push_back({values, norm, std::min(request.k, most_hits), request.row_class,
                                exclusions(request, q)});
        }
    }
}

CodedQueries::CodedQueries(const QuerySet& queries, std::span<const std::size_t> ids,
                           const RowCoder& coder)
    : ids_(ids.begin(), ids.end()) {
    std::size_t code_bytes = 0;
    for (std::size_t first = 0; first < ids_.size();) {
        const std::size_t used = std::min(ids_.size() - first, kBlockQueries);
        blocks_.push_back({first, used, block_size_for(used), code_bytes});
        code_bytes += blocks_.back().queries * coder.groups() * kGroupDims;
        first += used;
    }
    codes_ = Buffer(code_bytes);
    if (code_bytes > 0) {  // memset takes no null pointer, not even for nothing
        std::memset(codes_.data(), 0, code_bytes);
    }
    gain_.resize(blocks_.size() * kBlockQueries, 0.0F);
    start_.resize(blocks_.size() * kBlockQueries, 0);
    terms_.reserve(ids_.size());

    RowCoder::Scratch scratch(coder);
    std::vector<std::uint8_t> row(coder.groups() * kGroupDims);
    Meter meter;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        for (std::size_t i = 0; i < blocks_[b].used; ++i) {
            meter.add(kQueryWeight + row.size());
            const float* values = queries[ids_[blocks_[b].first + i]].values;
            const RowCode coded = coder.code_row(values, scratch, row.data());
            terms_.push_back(BoundTerms::of(coded.scale, coded.slack));
            gain_[b * kBlockQueries + i] = terms_.back().gain;
            start_[b * kBlockQueries + i] = place(row, blocks_[b], i);
        }
    }
}

// Returns what takes the documents' bias out of the query's dots.
std::int32_t CodedQueries::place(std::span<const std::uint8_t> biased, const Block& block,
                                 std::size_t i) noexcept {
    std::int64_t sum = 0;
    std::uint8_t* out = codes_.data() + block.code_offset + i * kGroupDims;
    for (std::size_t at = 0; at < biased.size(); ++at) {
        const int code = int{biased[at]} - kCodeBias;
        const std::size_t group = at / kGroupDims;
        out[group * block.queries * kGroupDims + at % kGroupDims] = static_cast<std::uint8_t>(code);
        sum += code;
    }
    // Wider rows take another way (screen_wide.hpp), and the value has no use.
    return biased.size() <= kGroupsInInt32 * kGroupDims
               ? static_cast<std::int32_t>(-std::int64_t{kCodeBias} * sum)
               : 0;
}

QueryBlock CodedQueries::view(const Block& block, const float* floor) const noexcept {
    const auto b = static_cast<std::size_t>(&block - blocks_.data());
    return {reinterpret_cast<const std::int8_t*>(codes_.data() + block.code_offset), block.queries,
            start_.data() + b * kBlockQueries, gain_.data() + b * kBlockQueries, floor};
}

}  // namespace gnomon::detail
