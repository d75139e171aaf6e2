// coding.hpp on AVX2: 16 lanes are two registers.
#include "cosine/coding.hpp"

#if GNOMON_X86
#include <immintrin.h>

#include <cstring>

#include "cosine/tiles.hpp"

namespace gnomon::detail {

GNOMON_TARGET_AVX2_BEGIN
namespace {

inline __m256i magnitude_bits(const float* x) noexcept {
    return _mm256_and_si256(_mm256_set1_epi32(0x7FFFFFFF),
                            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
}

std::uint32_t largest_bits_avx2(const float* x, std::size_t d) noexcept {
    __m256i largest_u32x8 = _mm256_setzero_si256();
    std::size_t i = 0;
    for (; i + 8 <= d; i += 8) {
        largest_u32x8 = _mm256_max_epu32(largest_u32x8, magnitude_bits(x + i));
    }
    float tail[8] = {};
    std::memcpy(tail, x + i, (d - i) * sizeof(float));
    largest_u32x8 = _mm256_max_epu32(largest_u32x8, magnitude_bits(tail));
    __m128i largest_u32x4 = _mm_max_epu32(_mm256_castsi256_si128(largest_u32x8),
                                          _mm256_extracti128_si256(largest_u32x8, 1));
    largest_u32x4 = _mm_max_epu32(largest_u32x4, _mm_shuffle_epi32(largest_u32x4, 0x4E));
    largest_u32x4 = _mm_max_epu32(largest_u32x4, _mm_shuffle_epi32(largest_u32x4, 0xB1));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(largest_u32x4));
}

inline float fold(__m256 low_f32x8, __m256 high_f32x8) noexcept {
    const __m256 sum_f32x8 = _mm256_add_ps(low_f32x8, high_f32x8);
    const __m128 sum_f32x4 =
        _mm_add_ps(_mm256_castps256_ps128(sum_f32x8), _mm256_extractf128_ps(sum_f32x8, 1));
    const __m128 sum_f32x2 = _mm_add_ps(sum_f32x4, _mm_movehl_ps(sum_f32x4, sum_f32x4));
    return _mm_cvtss_f32(_mm_add_ss(sum_f32x2, _mm_movehdup_ps(sum_f32x2)));
}

struct Coder {
    __m256 inverse_f32x8;
    __m256 step_f32x8;

    // Codes 8 values, adds their squares and those of what is left over, and returns the bytes in
    // the low byte of each lane.
    __m256i operator()(const float* x, __m256& values_f32x8,
                       __m256& residuals_f32x8) const noexcept {
        const __m256 shift_f32x8 = _mm256_set1_ps(kCodingShift);
        const __m256 x_f32x8 = _mm256_loadu_ps(x);
        const __m256 shifted_f32x8 = _mm256_fmadd_ps(x_f32x8, inverse_f32x8, shift_f32x8);
        const __m256 code_f32x8 = _mm256_sub_ps(shifted_f32x8, shift_f32x8);
        const __m256 residual_f32x8 = _mm256_fnmadd_ps(code_f32x8, step_f32x8, x_f32x8);
        values_f32x8 = _mm256_fmadd_ps(x_f32x8, x_f32x8, values_f32x8);
        residuals_f32x8 = _mm256_fmadd_ps(residual_f32x8, residual_f32x8, residuals_f32x8);
        return _mm256_and_si256(_mm256_castps_si256(shifted_f32x8), _mm256_set1_epi32(0xFF));
    }
};

inline void store_16_bytes(__m256i low_u32x8, __m256i high_u32x8, std::uint8_t* out) noexcept {
    const __m256i words =
        _mm256_permute4x64_epi64(_mm256_packus_epi32(low_u32x8, high_u32x8), 0xD8);
    const __m128i bytes =
        _mm_packus_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
}

CodingSums code_row_avx2(const float* x, std::size_t d, float inverse, float step,
                         const RowsAhead& ahead, std::uint8_t* codes) noexcept {
    const auto* soon = static_cast<const float*>(ahead.soon != nullptr ? ahead.soon : x);
    const Coder code{_mm256_set1_ps(inverse), _mm256_set1_ps(step)};
    CodingSums sums;
    sums.next_largest = ahead.next != nullptr ? largest_bits_avx2(ahead.next, d) : 0;
    for (std::size_t begin = 0; begin < d; begin += kCodingRun) {
        const std::size_t end = d - begin < kCodingRun ? d : begin + kCodingRun;
        __m256 values[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
        __m256 residuals[2] = {_mm256_setzero_ps(), _mm256_setzero_ps()};
        std::size_t i = begin;
        for (; i + kCodingLanes <= end; i += kCodingLanes) {
            __builtin_prefetch(soon + i, 0, kIntoSecondLevel);
            const __m256i low = code(x + i, values[0], residuals[0]);
            const __m256i high = code(x + i + 8, values[1], residuals[1]);
            store_16_bytes(low, high, codes + i);
        }
        if (i < end) {
            float tail[kCodingLanes] = {};
            std::uint8_t tail_codes[kCodingLanes];
            std::memcpy(tail, x + i, (end - i) * sizeof(float));
            const __m256i low = code(tail, values[0], residuals[0]);
            const __m256i high = code(tail + 8, values[1], residuals[1]);
            store_16_bytes(low, high, tail_codes);
            std::memcpy(codes + i, tail_codes, end - i);
        }
        sums.values += static_cast<double>(fold(values[0], values[1]));
        sums.residuals += static_cast<double>(fold(residuals[0], residuals[1]));
    }
    return sums;
}

// 4 x 4 blocks of 32 bits, transposed.
inline void transpose_block(const std::uint8_t* rows, std::size_t row_bytes,
                            std::uint8_t* out) noexcept {
    const auto load = [&](std::size_t j) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows + j * row_bytes));
    };
    const __m128i low01 = _mm_unpacklo_epi32(load(0), load(1));
    const __m128i high01 = _mm_unpackhi_epi32(load(0), load(1));
    const __m128i low23 = _mm_unpacklo_epi32(load(2), load(3));
    const __m128i high23 = _mm_unpackhi_epi32(load(2), load(3));
    const auto store = [&](std::size_t g, __m128i value) {
        _mm_store_si128(reinterpret_cast<__m128i*>(out + g * kTileGroupBytes), value);
    };
    store(0, _mm_unpacklo_epi64(low01, low23));
    store(1, _mm_unpackhi_epi64(low01, low23));
    store(2, _mm_unpacklo_epi64(high01, high23));
    store(3, _mm_unpackhi_epi64(high01, high23));
}

void interleave_avx2(const std::uint8_t* rows, std::size_t groups, std::uint8_t* tile) noexcept {
    const std::size_t row_bytes = groups * kGroupDims;
    const std::size_t whole = groups - groups % 4;
    for (std::size_t g = 0; g < whole; g += 4) {
        for (std::size_t j = 0; j < kTileRows; j += 4) {
            transpose_block(rows + j * row_bytes + g * kGroupDims, row_bytes,
                            tile + g * kTileGroupBytes + j * kGroupDims);
        }
    }
    for (std::size_t g = whole; g < groups; ++g) {
        for (std::size_t j = 0; j < kTileRows; ++j) {
            std::memcpy(tile + g * kTileGroupBytes + j * kGroupDims,
                        rows + j * row_bytes + g * kGroupDims, kGroupDims);
        }
    }
}

}  // namespace
GNOMON_TARGET_END

constinit const CodingKernel kCodingAvx2{largest_bits_avx2, code_row_avx2, interleave_avx2};

}  // namespace gnomon::detail
#endif
