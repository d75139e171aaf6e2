#include "threads/cpu_quota.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <thread>

#if defined(__linux__)
#include <sched.h>

#include <cerrno>
#endif

namespace gnomon::detail {

namespace {

constexpr int kNoQuota = 0;

int round_up_to_cpus(double quota, double period) {
    if (!(quota > 0) || !(period > 0)) {
        return kNoQuota;
    }
    const double cpus = quota / period;
    if (cpus >= std::numeric_limits<int>::max()) {
        return kNoQuota;
    }
    const int whole = static_cast<int>(cpus);
    return std::max(1, whole + (static_cast<double>(whole) < cpus ? 1 : 0));
}

// Version 2: one file holds "<quota> <period>", or "max <period>".
int quota_v2(const std::string& folder) {
    std::ifstream file(folder + "/cpu.max");
    std::string quota;
    double period = 0;
    if (!(file >> quota >> period) || quota == "max") {
        return kNoQuota;
    }
    double value = 0;
    std::istringstream(quota) >> value;
    return round_up_to_cpus(value, period);
}

// Version 1: two files; a quota of -1 means none.
int quota_v1(const std::string& folder) {
    std::ifstream quota_file(folder + "/cpu.cfs_quota_us");
    std::ifstream period_file(folder + "/cpu.cfs_period_us");
    double quota = 0;
    double period = 0;
    if (!(quota_file >> quota) || !(period_file >> period)) {
        return kNoQuota;
    }
    return round_up_to_cpus(quota, period);
}

int tighter(int a, int b) {
    if (a == kNoQuota || b == kNoQuota) {
        return std::max(a, b);
    }
    return std::min(a, b);
}

// A parent's quota binds its children, so every folder up to the mount point counts.
template <typename QuotaOf>
int tightest_up_to_root(const std::string& mount, std::string path, QuotaOf quota_of) {
    int found = quota_of(mount);
    while (!path.empty() && path != "/") {
        found = tighter(found, quota_of(mount + path));
        const std::size_t slash = path.find_last_of('/');
        path.resize(slash == std::string::npos ? 0 : slash);
    }
    return found;
}

bool lists_cpu_controller(const std::string& controllers) {
    std::istringstream names(controllers);
    for (std::string name; std::getline(names, name, ',');) {
        if (name == "cpu") {
            return true;
        }
    }
    return false;
}

}  // namespace

int cpus_in_cgroup_quota(const std::string& proc_cgroup, const std::string& root) {
    int found = kNoQuota;
    std::istringstream lines(proc_cgroup);
    for (std::string line; std::getline(lines, line);) {  // <hierarchy>:<controllers>:<path>
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 1);
        if (controllers.empty()) {
            found = tighter(found, tightest_up_to_root(root, path, quota_v2));
        } else if (lists_cpu_controller(controllers)) {
            for (const std::string& name : {controllers, std::string("cpu")}) {
                std::string mount = root;
                mount.append("/").append(name);
                found = tighter(found, tightest_up_to_root(mount, path, quota_v1));
            }
        }
    }
    return found;
}

int cpus_in_affinity() noexcept {
#if defined(__linux__)
    constexpr int kMostCpus = 1'048'576;
    // A fixed cpu_set_t holds 1,024 CPUs; the kernel answers EINVAL until the mask is wide enough.
    for (int cpus = 1024; cpus <= kMostCpus; cpus *= 2) {
        cpu_set_t* mask = CPU_ALLOC(cpus);
        if (mask == nullptr) {
            break;
        }
        const std::size_t size = CPU_ALLOC_SIZE(cpus);
        const int status = sched_getaffinity(0, size, mask);
        const int reason = errno;
        const int count = status == 0 ? CPU_COUNT_S(size, mask) : 0;
        CPU_FREE(mask);
        if (count > 0) {
            return count;
        }
        if (reason != EINVAL) {
            break;
        }
    }
#endif
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace gnomon::detail
