#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "gnomon/machine.hpp"
#include "machine/chains.hpp"

namespace gnomon {

namespace {

constexpr std::size_t kStepsAtATime = 100'000;  // a millisecond or so

void expect_runnable(Isa isa) {
    const std::vector<Isa> runnable = runnable_isas();
    if (std::find(runnable.begin(), runnable.end(), isa) == runnable.end()) {
        throw SettingError(std::string("this machine can't run ") + isa_name(isa));
    }
}

}  // namespace

std::uint64_t multiply_add_pass(Isa isa, Arithmetic arithmetic, std::size_t steps, int threads,
                                const Interrupted& interrupted) {
    expect_runnable(isa);
    const detail::Chains& all = detail::chains(isa);
    const detail::Chain& chain = arithmetic == Arithmetic::float32 ? all.float32 : all.int8;
    const std::size_t blocks = (steps + kStepsAtATime - 1) / kStepsAtATime;
    const std::size_t workers = threads < 1 ? 1 : static_cast<std::size_t>(threads);
    std::atomic<std::uint64_t> used{0};  // what the chains computed, so that they must
    parallel_for(blocks * workers, threads, interrupted, [&](std::size_t block, int) {
        const std::size_t done = (block / workers) * kStepsAtATime;
        used.fetch_add(chain.run(std::min(kStepsAtATime, steps - done)), std::memory_order_relaxed);
    });
    return static_cast<std::uint64_t>(steps) * workers * chain.multiply_adds;
}

}  // namespace gnomon
