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
        if (options_.progress) {
            options_.progress(done_.load(std::memory_order_relaxed), total_);
        }
        return options_.interrupted && options_.interrupted();
    };
}

}  // namespace gnomon::detail
