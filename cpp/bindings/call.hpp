// How a binding calls the core: without the GIL, and open to Ctrl-C.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <utility>

#include "gnomon/errors.hpp"
#include "gnomon/threads.hpp"

namespace gnomon::bindings {

// Asks Python whether a signal has come, at most every 20 ms: taking the GIL can mean waiting for
// it.
class SignalWatch {
  public:
    bool operator()() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_look_ < std::chrono::milliseconds(20)) {
            return false;
        }
        last_look_ = now;
        const pybind11::gil_scoped_acquire gil;
        return PyErr_CheckSignals() != 0;
    }

  private:
    std::chrono::steady_clock::time_point last_look_ = std::chrono::steady_clock::now();
};

// Returns work(interrupted), which Ctrl-C stops. An interruption leaves with the exception that the
// signal handler set. For work that holds the GIL; it looks by check_interruption().
template <typename Work>
auto interruptible(Work&& work) {
    try {
        const Interrupted interrupted{SignalWatch()};
        const Interruptible scope(interrupted);
        return std::forward<Work>(work)(interrupted);
    } catch (const Interruption&) {
        throw pybind11::error_already_set();
    }
}

// The same without the GIL.
template <typename Work>
auto without_gil(Work&& work) {
    return interruptible([&](const Interrupted& interrupted) {
        const pybind11::gil_scoped_release released;
        return std::forward<Work>(work)(interrupted);
    });
}

}  // namespace gnomon::bindings
