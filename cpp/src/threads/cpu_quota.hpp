// How many CPUs this process may use.
#pragma once

#include <string>

namespace gnomon::detail {

// CPUs in the affinity mask, or all of them where the system has no mask; at least 1.
int cpus_in_affinity() noexcept;

// The tightest CPU quota of the cgroups that hold this process, rounded up; 0 when there is none.
// `proc_cgroup` is the text of /proc/self/cgroup, `root` the folder where cgroups are mounted.
int cpus_in_cgroup_quota(const std::string& proc_cgroup, const std::string& root);

}  // namespace gnomon::detail
