// CPUID and XGETBV, alone in one file. Exactly the features that the target regions name are asked
// for: a machine may have AVX without AVX2, AVX2 without FMA, or an operating system that saves
// none of their registers (emulators and some hypervisors).
#include "isa/cpu_features.hpp"

#include <cstdint>

#include "isa/target_region.hpp"

#if GNOMON_X86
#include <cpuid.h>
#elif GNOMON_ARM64 && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace gnomon::detail {

#if GNOMON_X86
namespace {

struct Registers {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
};

Registers cpuid(unsigned leaf) noexcept {
    Registers r;
    __get_cpuid_count(leaf, 0, &r.eax, &r.ebx, &r.ecx, &r.edx);
    return r;
}

std::uint64_t saved_register_state() noexcept {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (static_cast<std::uint64_t>(high) << 32U) | low;
}

constexpr bool has_all(std::uint64_t value, std::uint64_t bits) noexcept {
    return (value & bits) == bits;
}

constexpr std::uint64_t bit(unsigned position) noexcept { return std::uint64_t{1} << position; }

}  // namespace

CpuFeatures detect_cpu_features() noexcept {
    constexpr std::uint64_t kFmaOsxsaveAvxF16c =
        bit(12) | bit(27) | bit(28) | bit(29);                                       // leaf 1, ecx
    constexpr std::uint64_t kAvx2 = bit(5);                                          // leaf 7, ebx
    constexpr std::uint64_t kAvx512FDqBwVl = bit(16) | bit(17) | bit(30) | bit(31);  // leaf 7, ebx
    constexpr std::uint64_t kAvx512Vnni = bit(11);                                   // leaf 7, ecx
    constexpr std::uint64_t kXmmYmm = bit(1) | bit(2);
    constexpr std::uint64_t kMasksZmm = bit(5) | bit(6) | bit(7);

    CpuFeatures found;
    if (!has_all(cpuid(1).ecx, kFmaOsxsaveAvxF16c)) {
        return found;
    }
    const std::uint64_t saved = saved_register_state();
    const Registers extended = cpuid(7);
    found.avx2_fma_f16c = has_all(saved, kXmmYmm) && has_all(extended.ebx, kAvx2);
    found.avx512_f_bw_vl_dq_vnni = found.avx2_fma_f16c && has_all(saved, kMasksZmm) &&
                                   has_all(extended.ebx, kAvx512FDqBwVl) &&
                                   has_all(extended.ecx, kAvx512Vnni);
    return found;
}
#elif GNOMON_ARM64
// Every arm64 has NEON; its dot products of bytes came with ARMv8.2, as an option.
CpuFeatures detect_cpu_features() noexcept {
    CpuFeatures found;
#if defined(__linux__)
    constexpr unsigned long kAsimdDotProduct = 1UL << 20U;
    found.neon_dotprod = (getauxval(AT_HWCAP) & kAsimdDotProduct) != 0;
#else
    found.neon_dotprod = true;  // Apple's all have it
#endif
    return found;
}
#endif

}  // namespace gnomon::detail
