#include "score/rows.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "score/rows_f16c.hpp"

namespace gnomon::detail {

namespace {

template <typename T>
T load(const char* at) noexcept {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

const char* row_start(const MatrixView& x, std::size_t row) noexcept {
    return static_cast<const char*>(x.data) + static_cast<std::ptrdiff_t>(row) * x.row_stride;
}

bool is_contiguous(const MatrixView& x) noexcept {
    return x.cols <= 1 || x.col_stride == static_cast<std::ptrdiff_t>(item_size(x.dtype));
}

// The step is a constant for contiguous rows, so that the compiler can vectorise them.
template <typename T, typename Convert>
void convert_row(const char* start, std::ptrdiff_t step, std::size_t cols, float* out,
                 Convert convert) noexcept {
    constexpr auto kItem = static_cast<std::ptrdiff_t>(sizeof(T));
    if (step == kItem) {
        for (std::size_t i = 0; i < cols; ++i) {
            out[i] = convert(load<T>(start + i * sizeof(T)));
        }
        return;
    }
    for (std::size_t i = 0; i < cols; ++i) {
        out[i] = convert(load<T>(start + static_cast<std::ptrdiff_t>(i) * step));
    }
}

template <typename T, typename IsFinite>
bool all_finite(const char* start, std::ptrdiff_t step, std::size_t cols,
                IsFinite is_finite) noexcept {
    constexpr auto kItem = static_cast<std::ptrdiff_t>(sizeof(T));
    unsigned bad = 0;  // no early exit: a sum without branches is vectorised
    if (step == kItem) {
        for (std::size_t i = 0; i < cols; ++i) {
            bad |= is_finite(load<T>(start + i * sizeof(T))) ? 0U : 1U;
        }
        return bad == 0;
    }
    for (std::size_t i = 0; i < cols; ++i) {
        bad |= is_finite(load<T>(start + static_cast<std::ptrdiff_t>(i) * step)) ? 0U : 1U;
    }
    return bad == 0;
}

}  // namespace

float widen_bf16(std::uint16_t bits) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16U);
}

float widen_f16(std::uint16_t bits) noexcept {
    const std::uint32_t sign = (static_cast<std::uint32_t>(bits) & 0x8000U) << 16U;
    const std::uint32_t exponent = (static_cast<std::uint32_t>(bits) >> 10U) & 0x1FU;
    const std::uint32_t fraction = bits & 0x3FFU;
    if (exponent == 0) {  // zero or subnormal: fraction * 2^-24, exact in float32
        const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
    }
    const std::uint32_t widened = exponent == 0x1F ? 0xFFU : exponent + 112U;  // bias 15 -> 127
    return std::bit_cast<float>(sign | (widened << 23U) | (fraction << 13U));
}

MatrixView columns_of(const MatrixView& x, std::size_t first, std::size_t cols) noexcept {
    MatrixView part = x;
    part.data =
        static_cast<const char*>(x.data) + static_cast<std::ptrdiff_t>(first) * x.col_stride;
    part.cols = cols;
    return part;
}

bool row_is_finite(const MatrixView& x, std::size_t row) noexcept {
    const char* start = row_start(x, row);
    const std::ptrdiff_t step = x.col_stride;
    switch (x.dtype) {
    case Dtype::f32:
        return all_finite<std::uint32_t>(
            start, step, x.cols, [](std::uint32_t v) { return (v & 0x7F800000U) != 0x7F800000U; });
    case Dtype::f16:
        return all_finite<std::uint16_t>(start, step, x.cols,
                                         [](std::uint16_t v) { return (v & 0x7C00U) != 0x7C00U; });
    case Dtype::bf16:
        return all_finite<std::uint16_t>(start, step, x.cols,
                                         [](std::uint16_t v) { return (v & 0x7F80U) != 0x7F80U; });
    case Dtype::f64:
        return all_finite<double>(start, step, x.cols, [](double v) {
            // Half a unit in the last place above the largest float32: the least value that rounds
            // to infinity.
            constexpr double kRoundsToInfinity = 0x1.ffffffp+127;
            return std::fabs(v) < kRoundsToInfinity;
        });
    default: return true;
    }
}

}  // namespace gnomon::detail

namespace gnomon {

const float* row_f32(const MatrixView& x, std::size_t row, float* scratch,
                     [[maybe_unused]] Isa isa) noexcept {
    using detail::convert_row;
    const char* start = detail::row_start(x, row);
    const std::ptrdiff_t step =
        detail::is_contiguous(x) ? static_cast<std::ptrdiff_t>(item_size(x.dtype)) : x.col_stride;
    switch (x.dtype) {
    case Dtype::f32:
        if (step == sizeof(float) &&
            reinterpret_cast<std::uintptr_t>(start) % alignof(float) == 0) {
            return reinterpret_cast<const float*>(start);
        }
        convert_row<float>(start, step, x.cols, scratch, [](float v) { return v; });
        break;
    case Dtype::f16:
#if GNOMON_X86
        if (isa != Isa::scalar && step == sizeof(std::uint16_t)) {
            detail::widen_f16_row_f16c(start, x.cols, scratch);
            break;
        }
#endif
        convert_row<std::uint16_t>(start, step, x.cols, scratch, detail::widen_f16);
        break;
    case Dtype::bf16:
        convert_row<std::uint16_t>(start, step, x.cols, scratch, detail::widen_bf16);
        break;
    case Dtype::f64:
        convert_row<double>(start, step, x.cols, scratch,
                            [](double v) { return static_cast<float>(v); });
        break;
    case Dtype::i8:
        convert_row<std::int8_t>(start, step, x.cols, scratch,
                                 [](std::int8_t v) { return static_cast<float>(v); });
        break;
    case Dtype::u8:
        convert_row<std::uint8_t>(start, step, x.cols, scratch,
                                  [](std::uint8_t v) { return static_cast<float>(v); });
        break;
    }
    return scratch;
}

}  // namespace gnomon
