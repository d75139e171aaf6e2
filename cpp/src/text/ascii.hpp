// ASCII, 64 bytes at a time: in lower case, with a bit for every letter and digit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gnomon/isa.hpp"
#include "isa/target_region.hpp"

namespace gnomon::detail {

inline constexpr std::size_t kAsciiBlock = 64;

// Folds the ASCII bytes with which `text` begins and returns how many of its n bytes they are. Bit
// i % 64 of words[i / 64] says whether byte i is of a word. Behind the last ASCII byte, `out` up to
// the next multiple of 64 and the last mask hold anything.
using FoldAscii = std::size_t (*)(const char* text, std::size_t n, char* out,
                                  std::uint64_t* words) noexcept;

std::size_t fold_ascii_scalar(const char* text, std::size_t n, char* out,
                              std::uint64_t* words) noexcept;
#if GNOMON_X86
std::size_t fold_ascii_avx2(const char* text, std::size_t n, char* out,
                            std::uint64_t* words) noexcept;
std::size_t fold_ascii_avx512(const char* text, std::size_t n, char* out,
                              std::uint64_t* words) noexcept;
#endif
#if GNOMON_ARM64
std::size_t fold_ascii_neon(const char* text, std::size_t n, char* out,
                            std::uint64_t* words) noexcept;
#endif

FoldAscii fold_ascii(Isa isa) noexcept;

}  // namespace gnomon::detail
