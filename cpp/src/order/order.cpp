// The bounded collector: a heap whose top is the hit that would be dropped next.
#include "gnomon/order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gnomon/steps.hpp"

namespace gnomon {

float TopHits::threshold() const noexcept {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    if (k_ == 0) {
        return kInfinity;
    }
    return full() ? heap_.front().score : -kInfinity;
}

bool TopHits::offer(Hit hit) {
    if (std::isnan(hit.score) || k_ == 0) {
        return false;
    }
    if (full()) {
        if (!before(hit, heap_.front())) {
            return false;
        }
        std::pop_heap(heap_.begin(), heap_.end(), before);
        heap_.back() = hit;
    } else {
        heap_.push_back(hit);
    }
    std::push_heap(heap_.begin(), heap_.end(), before);
    return true;
}

void TopHits::merge(const TopHits& other) {
    for (const Hit& hit : other.heap_) {
        offer(hit);
    }
}

std::vector<Hit> TopHits::take() {
    std::vector<Hit> ranked = std::exchange(heap_, {});
    detail::arrange_in_steps(ranked.size(), before, [&](auto less) {
        std::sort_heap(ranked.begin(), ranked.end(), less);
    });
    return ranked;
}

}  // namespace gnomon
