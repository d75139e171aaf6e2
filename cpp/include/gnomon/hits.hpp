// Ragged hits: what every kernel returns that finds rows or ids for queries.
#pragma once

#include <cstdint>
#include <vector>

namespace gnomon {

// The hits of query q are entries [offsets[q], offsets[q + 1]), best first.
struct HitLists {
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> ids;
    std::vector<float> scores;
};

}  // namespace gnomon
