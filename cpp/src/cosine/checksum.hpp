// XXH64 (Yann Collet, xxHash fast digest algorithm, version 0.1.1), seed 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gnomon::detail {

std::uint64_t checksum(const void* data, std::size_t size) noexcept;

}  // namespace gnomon::detail
