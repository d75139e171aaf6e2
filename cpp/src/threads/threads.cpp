#include "gnomon/threads.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
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

// Whom check_interruption() asks on this thread.
thread_local const Interrupted* asked = nullptr;
thread_local const std::atomic<bool>* stopped_with = nullptr;

// What the workers of one call share.
class Shift {
  public:
    Shift(std::size_t blocks, const Interrupted& interrupted,
          const std::function<void(std::size_t, int)>& body)
        : blocks_(blocks), interrupted_(interrupted), body_(body) {}

    void work(int worker) noexcept {
        const detail::FloatEnvironment environment;
        const std::atomic<bool>* const outer = std::exchange(stopped_with, &stopped_);
        try {
            while (!stopped_.load(std::memory_order_relaxed)) {
                const std::size_t block = next_.fetch_add(1, std::memory_order_relaxed);
                if (block >= blocks_) {
                    break;
                }
                body_(block, worker);
                if (worker == 0 && interrupted_ && interrupted_()) {
                    throw Interruption();
                }
            }
        } catch (...) {
            stop();
        }
        stopped_with = outer;
    }

    // The work of another thread, which wait_for() waits for.
    void work_beside(int worker) noexcept {
        work(worker);
        const std::scoped_lock lock(mutex_);
        ++ended_;
        one_ended_.notify_one();
    }

    // A worker may have a long block left when the caller has nothing more to do.
    void wait_for(std::size_t others) noexcept {
        constexpr std::chrono::milliseconds kBetweenLooks(20);
        std::unique_lock<std::mutex> lock(mutex_);
        while (!one_ended_.wait_for(lock, kBetweenLooks, [&] { return ended_ == others; })) {
            lock.unlock();
            try {
                check_interruption();
            } catch (...) {
                stop();
            }
            lock.lock();
        }
    }

    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

  private:
    // In a catch block: ends the shift with the exception at hand, unless it has ended before.
    void stop() noexcept {
        const std::scoped_lock lock(mutex_);
        if (!error_) {
            error_ = std::current_exception();
        }
        stopped_.store(true, std::memory_order_relaxed);
    }

    std::size_t blocks_;
    const Interrupted& interrupted_;
    const std::function<void(std::size_t, int)>& body_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    std::condition_variable one_ended_;
    std::size_t ended_ = 0;
    std::exception_ptr error_;
};

}  // namespace

Interruptible::Interruptible(const Interrupted& interrupted) noexcept
    : outer_(std::exchange(asked, interrupted ? &interrupted : asked)) {}

Interruptible::~Interruptible() { asked = outer_; }

void check_interruption() {
    if ((stopped_with != nullptr && stopped_with->load(std::memory_order_relaxed)) ||
        (asked != nullptr && (*asked)())) {
        throw Interruption();
    }
}

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
    const Interruptible scope(interrupted);
    Shift shift(blocks, interrupted, body);
    std::vector<std::thread> others;
    const std::size_t workers = std::min(blocks, static_cast<std::size_t>(threads));
    others.reserve(workers);
    for (std::size_t worker = 1; worker < workers; ++worker) {
        try {
            others.emplace_back([&shift, worker] { shift.work_beside(static_cast<int>(worker)); });
        } catch (const std::system_error&) {
            break;
        }
    }
    shift.work(0);
    shift.wait_for(others.size());
    for (std::thread& other : others) {
        other.join();
    }
    shift.rethrow();
}

}  // namespace gnomon
