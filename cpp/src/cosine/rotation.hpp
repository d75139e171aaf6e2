// A fixed rotation that spreads a few dominant coordinates over all of them.
//
// Signs, then a Hadamard matrix on each of the blocks into which the dimensions fall: powers of
// two, largest first, that sum to d. It is orthogonal, so dots and norms stay what they are, up to
// rounding that error() bounds; results never depend on it, only the tightness of the codes does.
#pragma once

#include <cstddef>
#include <vector>

namespace gnomon::detail {

class Rotation {
  public:
    explicit Rotation(std::size_t dims);

    // out = R x; they must not overlap.
    void apply(const float* x, float* out) const noexcept;

    // |out - R x| <= error() |x| when every |x[i]| <= 2 and some |x[i]| >= 2^-30: scaling rounds
    // twice, each of the log2(block) rounds of additions once more; one is spare for underflow.
    double error() const noexcept { return error_; }

  private:
    std::vector<float> signed_scale_;  // +-1 / sqrt(block)
    double error_ = 0.0;
};

}  // namespace gnomon::detail
