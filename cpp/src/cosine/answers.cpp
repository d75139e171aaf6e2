#include "cosine/answers.hpp"

#include <algorithm>

namespace gnomon::detail {

bool Admission::admits(const Query& query, std::size_t row) const noexcept {
    if (query.row_class && labels_[row] != *query.row_class) {
        return false;
    }
    if (!listed_.empty() && !listed_[row]) {
        return false;
    }
    return query.excluded.empty() ||
           !std::binary_search(query.excluded.begin(), query.excluded.end(),
                               static_cast<std::int64_t>(row));
}

Interrupted Watch::between_blocks() {
    return [this] {
        // Queries that pass once more are done again.
        const std::uint64_t done = std::min(done_.load(std::memory_order_relaxed), total_);
        if (options_.progress && done != told_) {
            told_ = done;
            options_.progress(done, total_);
        }
        return options_.interrupted && options_.interrupted();
    };
}

}  // namespace gnomon::detail
