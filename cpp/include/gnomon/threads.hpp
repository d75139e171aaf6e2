// Threads that live for one call: no pool outlives it, so a forked child and a host with threads of
// its own are both safe.
#pragma once

#include <cstddef>
#include <functional>

#include "gnomon/errors.hpp"

namespace gnomon {

// min(CPUs that this process may use, cgroup quota rounded up), or GNOMON_NUM_THREADS. Throws
// SettingError when that variable is not a number from 1 to 4096.
int default_threads();

// Asked between blocks and within long ones, from the calling thread only; true stops the work. May
// be empty.
using Interrupted = std::function<bool()>;

// While it lives, check_interruption() on this thread asks `interrupted`, which must outlive it; an
// empty one leaves whoever is asked already.
class Interruptible {
  public:
    explicit Interruptible(const Interrupted& interrupted) noexcept;
    ~Interruptible();
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;

  private:
    const Interrupted* outer_;
};

// Throws Interruption when the work that this thread does is to stop: because an Interruptible of
// this thread says so, or, in a body of parallel_for, because another worker has stopped. What may
// take long within one block, or outside of any, calls it every few milliseconds.
void check_interruption();

// Runs body(block, worker) once for every block in [0, blocks). The caller is worker 0; at most
// min(threads, blocks) workers run, and each takes the next free block. Every worker rounds to
// nearest and keeps subnormals, whatever the host process has set, and gives its own settings back
// afterwards. The first exception of a body is rethrown once all workers have stopped; an
// interruption throws Interruption, and is asked for until the last worker has ended. threads < 1
// throws SettingError. When the system refuses a thread, the others do its work.
void parallel_for(std::size_t blocks, int threads, const Interrupted& interrupted,
                  const std::function<void(std::size_t block, int worker)>& body);

}  // namespace gnomon
