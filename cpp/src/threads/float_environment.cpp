// <cfenv> promises nothing about flush-to-zero, so the control register itself is set.
#include "threads/float_environment.hpp"

#include "isa/target_region.hpp"

#if GNOMON_X86
#include <xmmintrin.h>
#endif

namespace gnomon::detail {

namespace {

#if GNOMON_X86
constexpr std::uint64_t kDefaultControl = 0x1F80;  // all traps masked, nearest, no FTZ, no DAZ

std::uint64_t read_control() noexcept { return _mm_getcsr(); }
void write_control(std::uint64_t value) noexcept { _mm_setcsr(static_cast<unsigned>(value)); }
#elif GNOMON_ARM64
constexpr std::uint64_t kDefaultControl = 0;  // FPCR: nearest, no flushing, no traps

std::uint64_t read_control() noexcept {
    std::uint64_t value = 0;
    __asm__ volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}
void write_control(std::uint64_t value) noexcept {
    __asm__ volatile("msr fpcr, %0" : : "r"(value));
}
#else
#error "gnomon knows the floating-point control register of x86-64 and arm64 only"
#endif

}  // namespace

FloatEnvironment::FloatEnvironment() noexcept : saved_(read_control()) {
    write_control(kDefaultControl);
}

FloatEnvironment::~FloatEnvironment() { write_control(saved_); }

}  // namespace gnomon::detail
