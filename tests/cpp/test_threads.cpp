#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <thread>

#include "gnomon/threads.hpp"
#include "isa/target_region.hpp"
#include "support.hpp"
#include "threads/cpu_quota.hpp"
#include "threads/float_environment.hpp"

#if GNOMON_X86
#include <xmmintrin.h>
#endif

using gnomon::default_threads;
using gnomon::Interruption;
using gnomon::parallel_for;
using gnomon::SettingError;
using gnomon::detail::cpus_in_cgroup_quota;
using gnomon::testing::kThreadCounts;
using gnomon::testing::ScopedVariable;

TEST_CASE("every block runs once, by a worker below the thread count") {
    for (const int threads : kThreadCounts) {
        for (const std::size_t blocks : {0U, 1U, 2U, 5U, 1000U}) {
            std::vector<std::atomic<int>> runs(blocks);
            std::atomic<bool> worker_in_range{true};
            parallel_for(blocks, threads, {}, [&](std::size_t block, int worker) {
                ++runs[block];
                if (worker < 0 || worker >= threads) {
                    worker_in_range = false;
                }
            });
            CHECK(worker_in_range);
            for (const auto& count : runs) {
                CHECK(count == 1);
            }
        }
    }
}

TEST_CASE("fewer than one thread is refused") {
    CHECK_THROWS_WITH_AS(parallel_for(1, 0, {}, [](std::size_t, int) {}),
                         "threads is 0; it must be at least 1", SettingError);
    CHECK_THROWS_AS(parallel_for(0, -3, {}, [](std::size_t, int) {}), SettingError);
}

TEST_CASE("an exception of a worker reaches the caller, and the work stops") {
    for (const int threads : kThreadCounts) {
        std::atomic<std::size_t> done{0};
        const auto body = [&](std::size_t block, int) {
            if (block == 3) {
                throw std::runtime_error("block 3");
            }
            ++done;
        };
        CHECK_THROWS_WITH_AS(parallel_for(1'000'000, threads, {}, body), "block 3",
                             std::runtime_error);
        CHECK(done < 1'000'000);
    }
}

TEST_CASE("an interruption is asked for on the calling thread only, and stops the work") {
    const auto caller = std::this_thread::get_id();
    for (const int threads : kThreadCounts) {
        bool on_caller = true;
        int looks = 0;
        std::atomic<std::size_t> done{0};
        const auto interrupted = [&] {
            on_caller = on_caller && std::this_thread::get_id() == caller;
            return ++looks == 2;
        };
        CHECK_THROWS_AS(
            parallel_for(1'000'000'000, threads, interrupted, [&](std::size_t, int) { ++done; }),
            Interruption);
        CHECK(on_caller);
        CHECK(done < 1'000'000'000);
    }
}

TEST_CASE("the caller is asked until the last worker has ended, and stops it within its block") {
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> other_began{false};
    std::atomic<bool> on_caller{true};
    const auto interrupted = [&] {
        on_caller = on_caller && std::this_thread::get_id() == caller;
        return other_began.load();
    };
    const auto body = [&](std::size_t, int worker) {
        while (worker == 0 && !other_began) {  // leave the other block to the other worker
            std::this_thread::yield();
        }
        other_began = true;
        for (std::size_t i = 0; worker != 0 && i < 1'000'000'000'000; ++i) {
            gnomon::check_interruption();
        }
    };
    CHECK_THROWS_AS(parallel_for(2, 2, interrupted, body), Interruption);
    CHECK(on_caller);
}

TEST_CASE("nobody asks outside of an Interruptible, and an inner one is asked instead") {
    gnomon::check_interruption();
    const gnomon::Interrupted never = [] { return false; };
    const gnomon::Interrupted always = [] { return true; };
    const gnomon::Interrupted empty;
    const gnomon::Interruptible outer(never);
    {
        const gnomon::Interruptible inner(always);
        const gnomon::Interruptible silent(empty);
        CHECK_THROWS_AS(gnomon::check_interruption(), Interruption);
    }
    gnomon::check_interruption();
}

#if GNOMON_X86
TEST_CASE("workers keep subnormals and round to nearest whatever the host has set") {
    constexpr unsigned kFlushAndRoundUp = 0x8000U | 0x0040U | 0x4000U;
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | kFlushAndRoundUp);
    std::atomic<int> wrong{0};
    parallel_for(64, 4, {}, [&](std::size_t, int) {
        volatile float tiny = std::numeric_limits<float>::denorm_min();
        volatile float half = 0.5F;
        volatile double third = 1.0;
        volatile double three = 3.0;
        if (tiny * 2.0F != 2.0F * std::numeric_limits<float>::denorm_min() || tiny == 0.0F ||
            std::numeric_limits<float>::min() * half == 0.0F ||
            third / three != 0x1.5555555555555p-2) {
            ++wrong;
        }
    });
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    CHECK(wrong == 0);
    CHECK((after & kFlushAndRoundUp) == kFlushAndRoundUp);
}
#endif

TEST_CASE("GNOMON_NUM_THREADS overrides the default, and only a whole number will do") {
    {
        const ScopedVariable variable("GNOMON_NUM_THREADS", "3");
        CHECK(default_threads() == 3);
    }
    for (const char* wrong :
         {"0", "-1", "two", "2.5", "2 ", "+2", "5000", "99999999999999999999"}) {
        const ScopedVariable variable("GNOMON_NUM_THREADS", wrong);
        CHECK_THROWS_WITH_AS(default_threads(),
                             doctest::Contains("set it to a whole number from 1 to 4096"),
                             SettingError);
    }
    const ScopedVariable variable("GNOMON_NUM_THREADS", nullptr);
    CHECK(default_threads() >= 1);
    CHECK(default_threads() <= gnomon::detail::cpus_in_affinity());
}

namespace {

// A folder that looks like mounted control groups.
class FakeCgroups {
  public:
    FakeCgroups() : root_(std::filesystem::temp_directory_path() / unique_name()) {
        std::filesystem::create_directories(root_);
    }
    ~FakeCgroups() {
        std::error_code ignored;
        std::filesystem::remove_all(root_, ignored);
    }
    FakeCgroups(const FakeCgroups&) = delete;
    FakeCgroups& operator=(const FakeCgroups&) = delete;

    void write(const std::string& file, const std::string& text) const {
        const auto path = root_ / file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    int quota(const std::string& proc_cgroup) const {
        return cpus_in_cgroup_quota(proc_cgroup, root_.string());
    }

  private:
    static std::string unique_name() {
        return "gnomon-cgroups-" + std::to_string(std::random_device()());
    }
    std::filesystem::path root_;
};

}  // namespace

TEST_CASE("the cgroup quota is read from version 2, rounded up, the tightest ancestor wins") {
    const FakeCgroups groups;
    CHECK(groups.quota("0::/a/b\n") == 0);
    groups.write("a/b/cpu.max", "max 100000\n");
    CHECK(groups.quota("0::/a/b\n") == 0);
    groups.write("a/b/cpu.max", "350000 100000\n");
    CHECK(groups.quota("0::/a/b\n") == 4);
    groups.write("a/cpu.max", "150000 100000\n");
    CHECK(groups.quota("0::/a/b\n") == 2);
    groups.write("cpu.max", "10000 100000\n");
    CHECK(groups.quota("0::/a/b\n") == 1);
    CHECK(groups.quota("0::/\n") == 1);
}

TEST_CASE("the cgroup quota is read from version 1") {
    const FakeCgroups groups;
    groups.write("cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
    groups.write("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    CHECK(groups.quota("4:memory:/job\n3:cpu,cpuacct:/job\n") == 0);
    groups.write("cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
    CHECK(groups.quota("4:memory:/job\n3:cpu,cpuacct:/job\n") == 3);
    CHECK(groups.quota("4:memory:/job\n3:cpuset:/job\n") == 0);
}

TEST_CASE("damaged control group files mean no quota") {
    const FakeCgroups groups;
    groups.write("cpu.max", "lots 100000\n");
    CHECK(groups.quota("0::/\n") == 0);
    groups.write("cpu.max", "100000 0\n");
    CHECK(groups.quota("0::/\n") == 0);
    groups.write("cpu.max", "");
    CHECK(groups.quota("0::/\n") == 0);
    CHECK(groups.quota("no colons\n\n:::\n") == 0);
}
