// The bound by which the screen skips rows, and why it holds. u = 2^-24 throughout.
//
// A vector x is scaled by a power of two, rotated and coded: X = R 2^e x is what exact arithmetic
// would code (R orthogonal), y the float32 values that are coded, s q the coded vector. With
// rho = |X - s q| / |X| and alpha = s / |X|, for the row x and the query v, Cauchy-Schwarz and
// |s q| <= (1 + rho) |X| give
//
//     |cos(v, x) - alpha_v alpha_x (q_v . q_x)| <= (1 + rho_v) rho_x + rho_v.              (1)
//
// Stored are scale ~ alpha and slack = leftover * (1 + kPad) + kPad + 2 * Rotation::error(), with
// leftover ~ |y - s q| / |y|. Roundings, each relative to the norm of the vector or to the value:
//
//   power of two      values below float32's range, when there is a factor: less than 2^-100
//   rotation          |y - X| <= Rotation::error() |X| <= 35 u |X|; the second half of the twice
//                     is for |y| / |X|
//   residuals         y_i - s q_i is fused: 1 u; what underflows when squared: less than 2^-28
//   sums of squares   32 fused additions, 4 folds, a cast to float32: 37 u of the sum
//   leftover          37 u for the two sums' roots, 1 u residuals, 2 u division and root: less
//                     than kPad of itself, which is 512 u
//
// so slack >= rho + kPad - 2^-27. That kPad of the row and that of the query have room for
//
//   scale             19 u for the norm, 2 u division and root, 35 u for |y| / |X|: 56 u, twice
//   dot               exact; 1 u for its conversion to float32
//   bound             3 products and 2 sums: 5 u of values of at most 8
//   score             (d / 16 + 16) 2^-53 in float64: less than 1 u up to d = 2^31
//
// The first two are relative to (1 + rho_v) (1 + rho_x) <= 4, so all of it is at most
// 4 * 113 u + 40 u + 1 u = 493 u, and 2 kPad = 1,024 u. Hence the float64 score is at most
// (dot * scale + slack * gain) * unit + base, as it is computed in float32; and the 5 roundings of
// spread() and of what is taken from that, 40 u, leave the lower end no higher than the score.
//
// The score that counts is that value rounded to float32. Rounding is monotone: a bound below the
// next float under a threshold T means a score below T. Rows are skipped by this test alone, so
// rows that score T never are; a bound that is NaN fails it and its row is kept.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "cosine/float_steps.hpp"

namespace gnomon::detail {

inline constexpr float kPad = 0x1p-15F;

// What turns the dot of codes into a bound on the cosine, for one query:
// cosine <= (dot * scale + slack * gain) * unit + base, scale and slack being the row's.
struct BoundTerms {
    float unit = 0.0F;  // the query's scale
    float base = 0.0F;  // the query's slack
    float gain = 0.0F;  // (1 + base) / unit, rounded up

    static BoundTerms of(float scale, float slack) noexcept {
        const double gain = (1.0 + static_cast<double>(slack)) / static_cast<double>(scale);
        return {scale, slack, next_up(static_cast<float>(gain))};
    }

    // In units of `unit`: no row whose dot * scale + slack * gain is less scores `threshold` or
    // more.
    float floor_for(float threshold) const noexcept {
        if (threshold == -std::numeric_limits<float>::infinity()) {
            return threshold;
        }
        const auto least = static_cast<double>(next_down(threshold));
        const double floor = (least - static_cast<double>(base)) / static_cast<double>(unit);
        return next_down(static_cast<float>(floor));
    }

    // No less than the score of a row whose dot * scale + slack * gain is `bound`.
    float upper(float bound) const noexcept { return bound * unit + base; }

    // Half the width of the interval that (1) leaves for the score. upper() less twice this is no
    // more than the score.
    float spread(float row_slack) const noexcept { return (1.0F + base) * row_slack + base; }
};

// How far below the middle of that interval a score is taken to lie, as a share of the spread. If
// rounding errors were independent, the middle's would have a standard deviation between spread /
// sqrt(2 d) and spread / sqrt(d); Candidates::settle finds out when four of them were not enough.
inline double likely_share_of_spread(std::size_t dims) noexcept {
    return std::min(1.0, 4.0 / std::sqrt(static_cast<double>(dims)));
}

}  // namespace gnomon::detail
