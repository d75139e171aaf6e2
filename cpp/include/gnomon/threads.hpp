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

// Asked between blocks, from the calling thread only; true stops the work. May be empty.
using Interrupted = std::function<bool()>;

// Runs body(block, worker) once for every block in [0, blocks). The caller is worker 0; at most
// min(threads, blocks) workers run, and each takes the next free block. Every worker rounds to
// nearest and keeps subnormals, whatever the host process has set, and gives its own settings back
// afterwards. The first exception of a body is rethrown once all workers have stopped; an
// interruption throws Interruption. threads < 1 throws SettingError. When the system refuses a
// thread, the others do its work.
void parallel_for(std::size_t blocks, int threads, const Interrupted& interrupted,
                  const std::function<void(std::size_t block, int worker)>& body);

}  // namespace gnomon
