#include "cosine/coder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "cosine/bound.hpp"
#include "gnomon/steps.hpp"
#include "score/rows.hpp"

namespace gnomon::detail {

namespace {

// Within these limits squares of values and of residuals neither overflow nor underflow float32 in
// a way that matters; other rows are scaled by a power of two first.
constexpr float kSmallestPlain = 0x1p-30F;
constexpr float kLargestPlain = 0x1p+30F;

constexpr std::size_t kBatchBytes = 8192;
constexpr std::size_t kLongRowBytes = kBatchBytes / 3 + 1;  // two at most make a batch
constexpr std::size_t kSampleRows = 256;
constexpr std::size_t kRotationWeight = 8;  // of a value that is rotated and coded

// Searching rotated codes costs the rotation of every query; a slack that shrinks less than this
// lets hardly fewer rows through.
constexpr double kRotationGain = 0.85;

// A power of two times x, exactly, unless a value falls below float32's range, where it loses at
// most 2^-150 against a largest value of at least 1.
void scale_to_unit(const float* x, std::size_t d, float largest, float* out) noexcept {
    const double factor = std::ldexp(1.0, -std::ilogb(largest));
    for (std::size_t i = 0; i < d; ++i) {
        out[i] = static_cast<float>(static_cast<double>(x[i]) * factor);
    }
}

}  // namespace

RowCoder::RowCoder(Isa isa, std::size_t dims, bool rotate)
    : isa_(isa), kernel_(coding_kernel(isa)), dims_(dims), groups_(groups_of(dims)),
      rotation_(rotate ? std::make_unique<Rotation>(dims) : nullptr),
      pad_(next_up(static_cast<float>(static_cast<double>(kPad) +
                                      (rotate ? 2.0 * rotation_->error() : 0.0)))) {}

RowCoder::Draft RowCoder::draft_of(const float* x, std::uint32_t bits, std::size_t slot,
                                   Scratch& scratch) const noexcept {
    Draft draft;
    draft.values = x;
    if (bits == 0 || bits >= kInfinityBits) {
        draft.kind = bits == 0 ? RowKind::zero : RowKind::not_finite;
        return draft;
    }
    auto largest = std::bit_cast<float>(bits);
    float* prepared = scratch.prepared.data() + slot * dims_;
    if (largest < kSmallestPlain || largest > kLargestPlain) {
        scale_to_unit(x, dims_, largest, prepared);
        draft.values = prepared;
    }
    if (rotation_) {
        rotation_->apply(draft.values, prepared);
        draft.values = prepared;
    }
    if (draft.values != x) {
        largest = std::bit_cast<float>(kernel_.largest_bits(draft.values, dims_));
    }
    draft.step = largest / 127.0F;
    return draft;
}

void RowCoder::write_codes(Draft& draft, const RowsAhead& ahead,
                           std::uint8_t* codes) const noexcept {
    std::size_t written = 0;
    if (draft.kind == RowKind::ordinary) {
        draft.sums =
            kernel_.code_row(draft.values, dims_, 1.0F / draft.step, draft.step, ahead, codes);
        written = dims_;
    } else if (ahead.next != nullptr) {
        draft.sums.next_largest = kernel_.largest_bits(ahead.next, dims_);
    }
    std::memset(codes + written, kCodeBias, groups_ * kGroupDims - written);
}

RowCode RowCoder::finished(const Draft& draft) const noexcept {
    if (draft.kind != RowKind::ordinary) {
        return {0.0F, 0.0F, draft.kind};
    }
    const auto squares = static_cast<float>(draft.sums.values);
    const float leftover = std::sqrt(static_cast<float>(draft.sums.residuals) / squares);
    return {draft.step / std::sqrt(squares), leftover * (1.0F + kPad) + pad_, RowKind::ordinary};
}

RowCode RowCoder::code_row(const float* x, Scratch& scratch, std::uint8_t* codes) const noexcept {
    Draft draft = draft_of(x, kernel_.largest_bits(x, dims_), 0, scratch);
    write_codes(draft, {}, codes);
    return finished(draft);
}

// In steps over several rows, so that divisions and square roots overlap; as many rows as the
// first-level cache keeps from one step to the next.
void RowCoder::code_rows(const RowSource& source, std::size_t first, std::span<Draft> drafts,
                         Scratch& scratch) const {
    const std::size_t batch = std::clamp(
        kBatchBytes / std::max(dims_ * sizeof(float), sizeof(float)), std::size_t{1}, kTileRows);
    Meter meter;
    for (std::size_t begin = 0; begin < drafts.size(); begin += batch) {
        const std::size_t end = std::min(begin + batch, drafts.size());
        meter.add((end - begin) * dims_);
        for (std::size_t j = begin; j < end; ++j) {
            const float* x = row_f32(source.matrix, source.row(first + j),
                                     scratch.converted.data() + j * dims_, isa_);
            drafts[j] = draft_of(x, kernel_.largest_bits(x, dims_), j, scratch);
        }
        for (std::size_t j = begin; j < end; ++j) {
            const std::size_t soon = std::min(first + j + kTileRows, source.size - 1);
            write_codes(drafts[j], {nullptr, source.start_of(soon)},
                        scratch.codes.data() + j * groups_ * kGroupDims);
        }
    }
}

// Long rows that stand as floats and are coded as they are: each is looked through while the last
// but one is coded. Short ones are sooner done in batches.
void RowCoder::code_rows_in_place(const RowSource& source, std::size_t first,
                                  std::span<Draft> drafts, Scratch& scratch) const {
    const auto at = [&](std::size_t position) {
        return static_cast<const float*>(source.start_of(position));
    };
    for (std::size_t j = 0; j < std::min(kRowsAhead, drafts.size()); ++j) {
        auto& ahead = scratch.ahead[j];
        if (ahead.row != at(first + j)) {
            ahead = {at(first + j), kernel_.largest_bits(at(first + j), dims_)};
        }
    }
    Meter meter;
    for (std::size_t j = 0; j < drafts.size(); ++j) {
        meter.add(dims_);
        auto& ahead = scratch.ahead[j % kRowsAhead];
        drafts[j] = draft_of(ahead.row, ahead.largest_bits, j, scratch);
        const std::size_t next = first + j + kRowsAhead;
        const std::size_t soon = std::min(first + j + kTileRows, source.size - 1);
        ahead.row = next < source.size ? at(next) : nullptr;
        write_codes(drafts[j], {ahead.row, at(soon)},
                    scratch.codes.data() + j * groups_ * kGroupDims);
        ahead.largest_bits = drafts[j].sums.next_largest;
    }
}

RowKind RowCoder::code_tile(const RowSource& source, std::size_t first, std::size_t rows,
                            Scratch& scratch, std::uint8_t* tile, float* scale,
                            float* slack) const {
    const std::size_t row_bytes = groups_ * kGroupDims;
    Draft drafts[kTileRows];
    if (rotation_ == nullptr && dims_ * sizeof(float) >= kLongRowBytes &&
        stands_as_floats(source.matrix)) {
        code_rows_in_place(source, first, {drafts, rows}, scratch);
    } else {
        code_rows(source, first, {drafts, rows}, scratch);
    }
    RowKind worst = RowKind::ordinary;
    for (std::size_t j = 0; j < rows; ++j) {
        const RowCode code = finished(drafts[j]);
        scale[j] = code.scale;
        slack[j] = code.slack;
        worst = std::max(worst, code.kind);
    }
    for (std::size_t j = rows; j < kTileRows; ++j) {
        std::memset(scratch.codes.data() + j * row_bytes, kCodeBias, row_bytes);
        scale[j] = 0.0F;
        slack[j] = -std::numeric_limits<float>::infinity();
    }
    kernel_.interleave(scratch.codes.data(), groups_, tile);
    return worst;
}

bool rotation_pays(Isa isa, const RowSource& source) {
    const std::size_t dims = source.matrix.cols;
    const RowCoder plain(isa, dims, false);
    const RowCoder rotated(isa, dims, true);
    RowCoder::Scratch scratch(rotated);
    const std::size_t sample = std::min(source.size, kSampleRows);
    double plain_slack = 0.0;
    double rotated_slack = 0.0;
    Meter meter;
    for (std::size_t i = 0; i < sample; ++i) {
        meter.add(kRotationWeight * dims);
        const std::size_t row = source.row(i * source.size / sample);
        const float* x = row_f32(source.matrix, row, scratch.converted.data(), isa);
        plain_slack += plain.code_row(x, scratch, scratch.codes.data()).slack;
        rotated_slack += rotated.code_row(x, scratch, scratch.codes.data()).slack;
    }
    return rotated_slack < kRotationGain * plain_slack;
}

}  // namespace gnomon::detail
