// coding.hpp on AVX-512.
#include "cosine/coding.hpp"

#if GNOMON_X86
#include <immintrin.h>

#include "cosine/tiles.hpp"

namespace gnomon::detail {

GNOMON_TARGET_AVX512_BEGIN
namespace {

inline __mmask16 mask_of(std::size_t left) noexcept {
    return static_cast<__mmask16>(left >= kCodingLanes ? 0xFFFFU : (1U << left) - 1U);
}

inline __m512i with_magnitudes(__m512i largest_u32x16, __m512i x_f32x16) noexcept {
    return _mm512_max_epu32(largest_u32x16,
                            _mm512_and_si512(_mm512_set1_epi32(0x7FFFFFFF), x_f32x16));
}

std::uint32_t largest_bits_avx512(const float* x, std::size_t d) noexcept {
    __m512i largest_u32x16 = _mm512_setzero_si512();
    __m512i other_u32x16 = _mm512_setzero_si512();
    std::size_t i = 0;
    for (; i + 32 <= d; i += 32) {
        largest_u32x16 = with_magnitudes(largest_u32x16, _mm512_loadu_si512(x + i));
        other_u32x16 = with_magnitudes(other_u32x16, _mm512_loadu_si512(x + i + 16));
    }
    for (; i < d; i += 16) {
        largest_u32x16 =
            with_magnitudes(largest_u32x16, _mm512_maskz_loadu_epi32(mask_of(d - i), x + i));
    }
    return _mm512_reduce_max_epu32(_mm512_max_epu32(largest_u32x16, other_u32x16));
}

inline float fold(__m512 lanes_f32x16) noexcept {
    const __m256 low_f32x8 = _mm512_castps512_ps256(lanes_f32x16);
    const __m256 high_f32x8 = _mm512_extractf32x8_ps(lanes_f32x16, 1);
    const __m256 sum_f32x8 = _mm256_add_ps(low_f32x8, high_f32x8);
    const __m128 sum_f32x4 =
        _mm_add_ps(_mm256_castps256_ps128(sum_f32x8), _mm256_extractf128_ps(sum_f32x8, 1));
    const __m128 sum_f32x2 = _mm_add_ps(sum_f32x4, _mm_movehl_ps(sum_f32x4, sum_f32x4));
    return _mm_cvtss_f32(_mm_add_ss(sum_f32x2, _mm_movehdup_ps(sum_f32x2)));
}

struct Coder {
    __m512 inverse_f32x16;
    __m512 step_f32x16;
    __m512 values_f32x16;
    __m512 residuals_f32x16;

    // Codes 16 values and adds their squares and those of what is left over.
    __m128i operator()(__m512 x_f32x16) noexcept {
        const __m512 shift_f32x16 = _mm512_set1_ps(kCodingShift);
        const __m512 shifted_f32x16 = _mm512_fmadd_ps(x_f32x16, inverse_f32x16, shift_f32x16);
        const __m512 code_f32x16 = _mm512_sub_ps(shifted_f32x16, shift_f32x16);
        const __m512 residual_f32x16 = _mm512_fnmadd_ps(code_f32x16, step_f32x16, x_f32x16);
        values_f32x16 = _mm512_fmadd_ps(x_f32x16, x_f32x16, values_f32x16);
        residuals_f32x16 = _mm512_fmadd_ps(residual_f32x16, residual_f32x16, residuals_f32x16);
        return _mm512_cvtepi32_epi8(_mm512_castps_si512(shifted_f32x16));
    }
};

template <bool kNext>
inline CodingSums code_one(const float* x, std::size_t d, float inverse, float step,
                           const RowsAhead& ahead, std::uint8_t* codes) noexcept {
    const auto* soon = static_cast<const float*>(ahead.soon != nullptr ? ahead.soon : x);
    __m512i largest_u32x16 = _mm512_setzero_si512();
    CodingSums sums;
    for (std::size_t begin = 0; begin < d; begin += kCodingRun) {
        const std::size_t end = d - begin < kCodingRun ? d : begin + kCodingRun;
        Coder code{_mm512_set1_ps(inverse), _mm512_set1_ps(step), _mm512_setzero_ps(),
                   _mm512_setzero_ps()};
        std::size_t i = begin;
        for (; i + kCodingLanes <= end; i += kCodingLanes) {
            __builtin_prefetch(soon + i, 0, kIntoSecondLevel);
            if (kNext) {
                largest_u32x16 =
                    with_magnitudes(largest_u32x16, _mm512_loadu_si512(ahead.next + i));
            }
            _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + i), code(_mm512_loadu_ps(x + i)));
        }
        if (i < end) {
            const __mmask16 mask = mask_of(end - i);
            if (kNext) {
                largest_u32x16 =
                    with_magnitudes(largest_u32x16, _mm512_maskz_loadu_epi32(mask, ahead.next + i));
            }
            _mm_mask_storeu_epi8(codes + i, mask, code(_mm512_maskz_loadu_ps(mask, x + i)));
        }
        sums.values += static_cast<double>(fold(code.values_f32x16));
        sums.residuals += static_cast<double>(fold(code.residuals_f32x16));
    }
    sums.next_largest = _mm512_reduce_max_epu32(largest_u32x16);
    return sums;
}

CodingSums code_row_avx512(const float* x, std::size_t d, float inverse, float step,
                           const RowsAhead& ahead, std::uint8_t* codes) noexcept {
    return ahead.next != nullptr ? code_one<true>(x, d, inverse, step, ahead, codes)
                                 : code_one<false>(x, d, inverse, step, ahead, codes);
}

// Transposes 16 x 16 blocks of 32 bits: row j, group g becomes group g, row j.
void interleave_avx512(const std::uint8_t* rows, std::size_t groups, std::uint8_t* tile) noexcept {
    const std::size_t row_bytes = groups * kGroupDims;
    for (std::size_t first = 0; first < groups; first += 16) {
        const std::size_t width = groups - first < 16 ? groups - first : 16;
        const auto mask = static_cast<__mmask16>((1U << width) - 1U);
        __m512i a[16];
        __m512i b[16];
#pragma GCC unroll 16
        for (std::size_t j = 0; j < 16; ++j) {
            a[j] = _mm512_maskz_loadu_epi32(mask, rows + j * row_bytes + first * kGroupDims);
        }
#pragma GCC unroll 8
        for (std::size_t j = 0; j < 16; j += 2) {
            b[j] = _mm512_unpacklo_epi32(a[j], a[j + 1]);
            b[j + 1] = _mm512_unpackhi_epi32(a[j], a[j + 1]);
        }
#pragma GCC unroll 4
        for (std::size_t j = 0; j < 16; j += 4) {
            a[j] = _mm512_unpacklo_epi64(b[j], b[j + 2]);
            a[j + 1] = _mm512_unpackhi_epi64(b[j], b[j + 2]);
            a[j + 2] = _mm512_unpacklo_epi64(b[j + 1], b[j + 3]);
            a[j + 3] = _mm512_unpackhi_epi64(b[j + 1], b[j + 3]);
        }
        // a[4 r + c] now holds, in its 128-bit part p, group 4 p + c of rows 4 r to 4 r + 3.
#pragma GCC unroll 4
        for (std::size_t c = 0; c < 4; ++c) {
            b[c] = _mm512_shuffle_i32x4(a[c], a[4 + c], 0x88);
            b[4 + c] = _mm512_shuffle_i32x4(a[c], a[4 + c], 0xDD);
            b[8 + c] = _mm512_shuffle_i32x4(a[8 + c], a[12 + c], 0x88);
            b[12 + c] = _mm512_shuffle_i32x4(a[8 + c], a[12 + c], 0xDD);
        }
#pragma GCC unroll 4
        for (std::size_t c = 0; c < 4; ++c) {
            a[c] = _mm512_shuffle_i32x4(b[c], b[8 + c], 0x88);
            a[8 + c] = _mm512_shuffle_i32x4(b[c], b[8 + c], 0xDD);
            a[4 + c] = _mm512_shuffle_i32x4(b[4 + c], b[12 + c], 0x88);
            a[12 + c] = _mm512_shuffle_i32x4(b[4 + c], b[12 + c], 0xDD);
        }
        std::uint8_t* out = tile + first * kTileGroupBytes;
        for (std::size_t g = 0; g < width; ++g) {
            _mm512_store_si512(out + g * kTileGroupBytes, a[g]);
        }
    }
}

}  // namespace
GNOMON_TARGET_END

constinit const CodingKernel kCodingAvx512{largest_bits_avx512, code_row_avx512, interleave_avx512};

}  // namespace gnomon::detail
#endif
