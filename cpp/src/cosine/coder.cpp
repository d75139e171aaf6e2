#include "cosine/coder.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "cosine/float_steps.hpp"
#include "score/rows.hpp"

namespace gnomon::detail {

namespace {

// Room for every rounding that the bound's derivation leaves out, one share a row and one a query,
// relative to |x|. docs/kernels/cosine.md adds them up: less than 2^-17 each.
constexpr double kPad = 0x1p-16;

// Within these limits squares of values and of residuals neither overflow nor underflow float32 in
// a way that matters; other rows are scaled by a power of two first.
constexpr float kSmallestPlain = 0x1p-30F;
constexpr float kLargestPlain = 0x1p+30F;

constexpr std::size_t kSampleRows = 256;

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

float rounded_up(double value) noexcept { return next_up(static_cast<float>(value)); }

}  // namespace

RowCoder::RowCoder(Isa isa, std::size_t dims, bool rotate)
    : isa_(isa), kernel_(coding_kernel(isa)), dims_(dims), groups_(groups_of(dims)),
      rotation_(rotate ? std::make_unique<Rotation>(dims) : nullptr),
      pad_(kPad + (rotate ? 2.0 * rotation_->error() : 0.0)) {}

RowCode RowCoder::code_row(const float* x, Scratch& scratch, std::uint8_t* codes) const noexcept {
    std::uint32_t bits = kernel_.largest_bits(x, dims_);
    if (bits == 0 || bits >= kInfinityBits) {
        std::memset(codes, kCodeBias, groups_ * kGroupDims);
        return {0.0F, 0.0F, bits == 0 ? RowKind::zero : RowKind::not_finite};
    }
    auto largest = std::bit_cast<float>(bits);
    if (largest < kSmallestPlain || largest > kLargestPlain) {
        scale_to_unit(x, dims_, largest, scratch.scaled.data());
        x = scratch.scaled.data();
        largest = std::bit_cast<float>(kernel_.largest_bits(x, dims_));
    }
    if (rotation_) {
        rotation_->apply(x, scratch.rotated.data());
        x = scratch.rotated.data();
        largest = std::bit_cast<float>(kernel_.largest_bits(x, dims_));
    }
    const float step = largest / 127.0F;
    const CodingSums sums = kernel_.code_row(x, dims_, 127.0F / largest, step, codes);
    std::memset(codes + dims_, kCodeBias, groups_ * kGroupDims - dims_);
    const double norm = std::sqrt(sums.values);
    return {static_cast<float>(step / norm),
            rounded_up(std::sqrt(sums.residuals) / norm * (1.0 + kPad) + pad_), RowKind::ordinary};
}

RowKind RowCoder::code_tile(const RowSource& source, std::size_t first, std::size_t rows,
                            Scratch& scratch, std::uint8_t* tile, float* scale,
                            float* slack) const {
    RowKind worst = RowKind::ordinary;
    const std::size_t row_bytes = groups_ * kGroupDims;
    for (std::size_t j = 0; j < kTileRows; ++j) {
        std::uint8_t* codes = scratch.codes.data() + j * row_bytes;
        if (j >= rows) {
            std::memset(codes, kCodeBias, row_bytes);
            scale[j] = 0.0F;
            slack[j] = -std::numeric_limits<float>::infinity();
            continue;
        }
        const float* x = row_f32(source.matrix, source.row(first + j), scratch.row.data(), isa_);
        const RowCode code = code_row(x, scratch, codes);
        scale[j] = code.scale;
        slack[j] = code.slack;
        worst = std::max(worst, code.kind);
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
    for (std::size_t i = 0; i < sample; ++i) {
        const std::size_t row = source.row(i * source.size / sample);
        const float* x = row_f32(source.matrix, row, scratch.row.data(), isa);
        plain_slack += plain.code_row(x, scratch, scratch.codes.data()).slack;
        rotated_slack += rotated.code_row(x, scratch, scratch.codes.data()).slack;
    }
    return rotated_slack < kRotationGain * plain_slack;
}

}  // namespace gnomon::detail
