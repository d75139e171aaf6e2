#include "bm25/workspace.hpp"

#include <utility>

namespace gnomon::detail::bm25 {

namespace {

// A batch on many threads should not leave a workspace of each behind.
constexpr std::size_t kMostSpare = 4;
constexpr std::size_t kLargestSpare = std::size_t{1} << 20U;  // entries of a pool

}  // namespace

SpareWorkspaces::SpareWorkspaces() = default;
SpareWorkspaces::~SpareWorkspaces() = default;

std::unique_ptr<Workspace> SpareWorkspaces::take() {
    {
        const std::scoped_lock lock(mutex_);
        if (!spare_.empty()) {
            auto workspace = std::move(spare_.back());
            spare_.pop_back();
            return workspace;
        }
    }
    return std::make_unique<Workspace>();
}

void SpareWorkspaces::give_back(std::unique_ptr<Workspace> workspace) {
    if (workspace->pool.capacity() > kLargestSpare) {
        return;
    }
    const std::scoped_lock lock(mutex_);
    if (spare_.size() < kMostSpare) {
        spare_.push_back(std::move(workspace));
    }
}

}  // namespace gnomon::detail::bm25
