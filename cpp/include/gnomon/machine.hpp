// What a machine can do at most, for judging what a kernel does: a pass that reads memory and does
// nothing else, and multiply-adds that stay in registers. The caller times them.
//
// Edge cases: no bytes give 0, no steps give 0 multiply-adds. threads < 1, and an instruction set
// that this machine can't run, throw SettingError. Complexity: O(bytes), O(threads x steps).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gnomon/isa.hpp"
#include "gnomon/threads.hpp"

namespace gnomon {

// The sum, modulo 2^64, of the 8-byte words of `data`, a last incomplete one left out: every byte
// is read once, in blocks that the threads share.
std::uint64_t read_pass(std::span<const std::uint8_t> data, int threads,
                        const Interrupted& interrupted);

// float32 with fused multiply-add where there is one; int8 with what its screening kernel uses:
// vpdpbusd, pmaddwd on widened values, sdot, or plain code.
enum class Arithmetic : std::uint8_t { float32, int8 };

// Runs `steps` steps of independent multiply-adds on every thread and returns how many single
// multiply-adds that were, over all threads.
std::uint64_t multiply_add_pass(Isa isa, Arithmetic arithmetic, std::size_t steps, int threads,
                                const Interrupted& interrupted);

}  // namespace gnomon
