// Chains of multiply-adds: as many at a time as hide the latency of one, none longer than it must
// be.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gnomon/isa.hpp"
#include "isa/target_region.hpp"

namespace gnomon::detail {

// A step is one multiply-add in every lane of every chain. The chains start from different values,
// and the sum that is returned depends on all of them, so that the compiler leaves none out.
struct Chain {
    std::size_t multiply_adds;  // per step
    std::uint64_t (*run)(std::size_t steps) noexcept;
};

struct Chains {
    Chain float32;
    Chain int8;
};

const Chains& chains(Isa isa) noexcept;

extern const Chains kChainsScalar;
#if GNOMON_X86
extern const Chains kChainsAvx2;
extern const Chains kChainsAvx512;
#endif
#if GNOMON_ARM64
extern const Chains kChainsNeon;
#endif

// Hides a value from the optimiser, which would otherwise fold constant factors.
template <typename Value>
inline Value opaque(Value value) noexcept {
    __asm__ volatile("" : "+m"(value));
    return value;
}

}  // namespace gnomon::detail
