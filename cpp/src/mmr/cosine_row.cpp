#include "mmr/cosine_row.hpp"

#include "score/score.hpp"

namespace gnomon::detail {

namespace {

void cosine_row_scalar(const double* dots, double norm, const double* norms, std::size_t n,
                       float* cosines) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
        cosines[i] = cosine(dots[i], norm, norms[i]);
    }
}

}  // namespace

CosineRow cosine_row(Isa isa) noexcept {
    switch (isa) {
#if GNOMON_X86
    case Isa::avx2:
    case Isa::avx512: return cosine_row_avx2;  // a division takes as long for each value
#endif
    default: return cosine_row_scalar;
    }
}

}  // namespace gnomon::detail
