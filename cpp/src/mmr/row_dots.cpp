#include "mmr/row_dots.hpp"

#include "cosine/float_dots.hpp"

namespace gnomon::detail {

namespace {

template <Isa kIsa>
void one_by_one(const float* row, const float* const* others, std::size_t n, std::size_t d,
                float* out) noexcept {
    const FloatDotKernel& kernel = float_dot_kernel(kIsa);
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = kernel.dot(row, others[i], d);
    }
}

}  // namespace

RowDots row_dots(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2:
    case Isa::avx512: return row_dots_avx2;  // the loads limit both alike
#endif
#if GNOMON_ARM64
    case Isa::neon: return one_by_one<Isa::neon>;
#endif
    default: return one_by_one<Isa::scalar>;
    }
}

}  // namespace gnomon::detail
