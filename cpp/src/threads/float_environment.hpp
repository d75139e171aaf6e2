// The floating-point environment that the contract asks for, for as long as an object lives.
#pragma once

#include <cstdint>

namespace gnomon::detail {

// Rounds to nearest, keeps subnormals, traps nothing; the destructor gives back what was there
// before.
class FloatEnvironment {
  public:
    FloatEnvironment() noexcept;
    ~FloatEnvironment();
    FloatEnvironment(const FloatEnvironment&) = delete;
    FloatEnvironment& operator=(const FloatEnvironment&) = delete;
    FloatEnvironment(FloatEnvironment&&) = delete;
    FloatEnvironment& operator=(FloatEnvironment&&) = delete;

  private:
    std::uint64_t saved_;
};

}  // namespace gnomon::detail
