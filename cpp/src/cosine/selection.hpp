// The greatest of some values, and hits in ranking order, in time linear in their number.
//
// Values are dealt into buckets by how far they lie below the greatest, which takes no branch that
// depends on them; what one bucket can't tell apart is compared. When most values share a bucket,
// all are compared, in O(n) for the greatest and O(n log n) for the order.
#pragma once

#include <cstddef>
#include <vector>

#include "gnomon/order.hpp"

namespace gnomon::detail {

// Drops values below the least one returned, so that at least k and at most `most` are left; needs
// 0 < k <= most and k values, none of them NaN.
float keep_greatest(std::vector<float>& values, std::size_t k, std::size_t most);

// Sorts by `before`.
void rank(std::vector<Hit>& hits);

}  // namespace gnomon::detail
