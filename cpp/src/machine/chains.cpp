// Vectors of the platform's baseline, and the choice.
#include "machine/chains.hpp"

namespace gnomon::detail {

namespace {

using f32x4 = float __attribute__((vector_size(16)));
using i16x8 = std::int16_t __attribute__((vector_size(16)));

constexpr std::size_t kChains = 12;
constexpr std::size_t kFloatLanes = 4;
constexpr std::size_t kWordLanes = 8;

std::uint64_t float32_scalar(std::size_t steps) noexcept {
    f32x4 sum[kChains];
    const float half = opaque(0.5F);
    const f32x4 factor = {half, half, half, half};
    const f32x4 term = factor + factor;
    for (std::size_t c = 0; c < kChains; ++c) {
        sum[c] = factor * static_cast<float>(c);
    }
    for (std::size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 12
        for (std::size_t c = 0; c < kChains; ++c) {
            sum[c] = sum[c] * factor + term;
        }
    }
    float total = 0;
    for (const f32x4& lanes : sum) {
        total += lanes[0];
    }
    return static_cast<std::uint64_t>(total);
}

// Widened to 16 bits, as products of bytes need, and free to wrap around.
std::uint64_t int8_scalar(std::size_t steps) noexcept {
    i16x8 sum[kChains];
    const std::int16_t three = opaque(std::int16_t{3});
    const i16x8 factor = {three, three, three, three, three, three, three, three};
    for (std::size_t c = 0; c < kChains; ++c) {
        sum[c] = factor << static_cast<int>(c);
    }
    for (std::size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 12
        for (std::size_t c = 0; c < kChains; ++c) {
            sum[c] = sum[c] + sum[c] * factor;
        }
    }
    std::uint64_t total = 0;
    for (const i16x8& lanes : sum) {
        total += static_cast<std::uint16_t>(lanes[0]);
    }
    return total;
}

}  // namespace

constinit const Chains kChainsScalar{{kChains * kFloatLanes, float32_scalar},
                                     {kChains * kWordLanes, int8_scalar}};

const Chains& chains(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2: return kChainsAvx2;
    case Isa::avx512: return kChainsAvx512;
#endif
#if GNOMON_ARM64
    case Isa::neon: return kChainsNeon;
#endif
    default: return kChainsScalar;
    }
}

}  // namespace gnomon::detail
