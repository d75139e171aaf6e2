// What the core throws beside std::invalid_argument and std::bad_alloc.
#pragma once

#include <exception>
#include <stdexcept>

namespace gnomon {

// A setting (an environment variable or a thread count) is not acceptable, whatever the data.
class SettingError : public std::invalid_argument {
  public:
    using std::invalid_argument::invalid_argument;
};

// The caller asked to stop between two blocks.
class Interruption : public std::exception {
  public:
    const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace gnomon
