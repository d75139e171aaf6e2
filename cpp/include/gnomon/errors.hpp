// What the core throws beside std::invalid_argument and std::bad_alloc.
#pragma once

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>

namespace gnomon {

// A setting (an environment variable or a thread count) is not acceptable, whatever the data.
class SettingError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

// A row of the named array holds NaN or infinity.
class NonFiniteError : public std::invalid_argument {
  public:
    NonFiniteError(const std::string& array, std::size_t row)
        : std::invalid_argument(array + ": row " + std::to_string(row) + " holds NaN or infinity"),
          row_(row) {}
    std::size_t row() const noexcept { return row_; }

  private:
    std::size_t row_;
};

// The caller asked to stop between two blocks.
class Interruption : public std::exception {
  public:
    const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace gnomon

namespace gnomon::detail {

// Cheap checks at the border of the core; Python has checked and worded everything before.
inline void expect_size(const char* function, const char* argument, std::size_t found,
                        std::size_t expected) {
    if (found != expected) {
        throw std::invalid_argument(std::string(function) + ": " + argument + " has " +
                                    std::to_string(found) + " elements, expected " +
                                    std::to_string(expected));
    }
}

}  // namespace gnomon::detail
