#include "gnomon/threads.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "threads/cpu_quota.hpp"
#include "threads/float_environment.hpp"

namespace gnomon {

namespace {

constexpr int kMostThreads = 4096;

int threads_from(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1 ||
        value > kMostThreads) {
        throw SettingError("GNOMON_NUM_THREADS is \"" + std::string(text) +
                           "\"; set it to a whole number from 1 to " +
                           std::to_string(kMostThreads));
    }
    return value;
}

int quota_of_this_process() {
    std::ifstream file("/proc/self/cgroup");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return detail::cpus_in_cgroup_quota(text, "/sys/fs/cgroup");
}

// What the workers of one call share.
class Shift {
  public:
    Shift(std::size_t blocks, const Interrupted& interrupted,
          const std::function<void(std::size_t, int)>& body)
        : blocks_(blocks), interrupted_(interrupted), body_(body) {}

    void work(int worker) noexcept {
        const detail::FloatEnvironment environment;
        try {
            while (!stopped_.load(std::memory_order_relaxed)) {
                const std::size_t block = next_.fetch_add(1, std::memory_order_relaxed);
                if (block >= blocks_) {
                    return;
                }
                body_(block, worker);
                if (worker == 0 && interrupted_ && interrupted_()) {
                    throw Interruption();
                }
            }
        } catch (...) {
            const std::scoped_lock lock(mutex_);
            if (!error_) {
                error_ = std::current_exception();
            }
            stopped_.store(true, std::memory_order_relaxed);
        }
    }

    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

  private:
    std::size_t blocks_;
    const Interrupted& interrupted_;
    const std::function<void(std::size_t, int)>& body_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    std::exception_ptr error_;
};

}  // namespace

int default_threads() {
    if (const char* forced = std::getenv("GNOMON_NUM_THREADS");
        forced != nullptr && *forced != '\0') {
        return threads_from(forced);
    }
    // The quota costs a few file reads and hardly ever changes; the affinity mask is one system
    // call.
    static const int quota = quota_of_this_process();
    const int cpus = detail::cpus_in_affinity();
    return std::min(quota > 0 ? std::min(cpus, quota) : cpus, kMostThreads);
}

void parallel_for(std::size_t blocks, int threads, const Interrupted& interrupted,
                  const std::function<void(std::size_t block, int worker)>& body) {
    if (threads < 1) {
        throw SettingError("threads is " + std::to_string(threads) + "; it must be at least 1");
    }
    Shift shift(blocks, interrupted, body);
    std::vector<std::thread> others;
    const std::size_t workers = std::min(blocks, static_cast<std::size_t>(threads));
    others.reserve(workers);
    for (std::size_t worker = 1; worker < workers; ++worker) {
        try {
            others.emplace_back([&shift, worker] { shift.work(static_cast<int>(worker)); });
        } catch (const std::system_error&) {
            break;
        }
    }
    shift.work(0);
    for (std::thread& other : others) {
        other.join();
    }
    shift.rethrow();
}

}  // namespace gnomon
