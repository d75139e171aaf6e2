// Which instruction set the kernels run on.
//
// The choice is made once per call of a public function: the best set that this CPU and its
// operating system run, or the one that GNOMON_ISA names. Results never depend on it, only speed
// does.
#pragma once

#include <cstdint>
#include <vector>

namespace gnomon {

// avx2 stands for AVX2 + FMA + F16C; avx512 for those and AVX-512 F + BW + VL + DQ + VNNI.
// neon needs the dot-product instructions of ARMv8.2.
enum class Isa : std::uint8_t { scalar, avx2, avx512, neon };

const char* isa_name(Isa isa) noexcept;

// From the plainest to the best; scalar is always there.
std::vector<Isa> runnable_isas();

// The best runnable set, or GNOMON_ISA. Throws SettingError, with the right names, when that
// variable holds an unknown name or one that this machine can't run.
Isa chosen_isa();

}  // namespace gnomon
