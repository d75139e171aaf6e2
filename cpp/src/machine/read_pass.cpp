#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "gnomon/machine.hpp"

namespace gnomon {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;
constexpr std::size_t kWords = 32;  // a step: four cache lines, as independent sums

std::uint64_t sum_of_words(const std::uint8_t* data, std::size_t bytes) noexcept {
    std::array<std::uint64_t, kWords> sums{};
    const std::size_t whole = bytes - bytes % sizeof(sums);
    for (std::size_t at = 0; at < whole; at += sizeof(sums)) {
        for (std::size_t w = 0; w < kWords; ++w) {
            std::uint64_t word = 0;
            std::memcpy(&word, data + at + w * sizeof(word), sizeof(word));
            sums[w] += word;
        }
    }
    std::uint64_t total = 0;
    for (std::size_t at = whole; at + sizeof(total) <= bytes; at += sizeof(total)) {
        std::uint64_t word = 0;
        std::memcpy(&word, data + at, sizeof(word));
        total += word;
    }
    for (const std::uint64_t sum : sums) {
        total += sum;
    }
    return total;
}

}  // namespace

std::uint64_t read_pass(std::span<const std::uint8_t> data, int threads,
                        const Interrupted& interrupted) {
    const std::size_t blocks = (data.size() + kBlockBytes - 1) / kBlockBytes;
    std::atomic<std::uint64_t> total{0};
    parallel_for(blocks, threads, interrupted, [&](std::size_t block, int) {
        const std::size_t begin = block * kBlockBytes;
        const std::size_t bytes = std::min(kBlockBytes, data.size() - begin);
        total.fetch_add(sum_of_words(data.data() + begin, bytes), std::memory_order_relaxed);
    });
    return total.load();
}

}  // namespace gnomon
