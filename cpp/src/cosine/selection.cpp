#include "cosine/selection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>

#include "gnomon/steps.hpp"

namespace gnomon::detail {

namespace {

constexpr std::size_t kFewValues = 24;  // are compared sooner than dealt
constexpr std::size_t kSelectionBuckets = 128;
constexpr std::size_t kScatterWeight = 8;  // writes to all over memory
constexpr std::size_t kMostRankBuckets = std::size_t{1} << 16U;

struct Range {
    float low;
    float high;
};

// Four of each, so that no comparison waits for the one before.
template <class Item, class Value>
Range range_of(std::span<const Item> items, Value value) noexcept {
    constexpr std::size_t kChains = 4;
    float low[kChains];
    float high[kChains];
    std::fill(low, low + kChains, value(items[0]));
    std::fill(high, high + kChains, value(items[0]));
    std::size_t i = 0;
    for (; i + kChains <= items.size(); i += kChains) {
        for (std::size_t c = 0; c < kChains; ++c) {
            const float x = value(items[i + c]);
            low[c] = x < low[c] ? x : low[c];
            high[c] = x > high[c] ? x : high[c];
        }
    }
    for (; i < items.size(); ++i) {
        low[0] = std::min(low[0], value(items[i]));
        high[0] = std::max(high[0], value(items[i]));
    }
    return {*std::min_element(low, low + kChains), *std::max_element(high, high + kChains)};
}

// Equal or greater values never lie in a later bucket: each step below is monotone.
class Buckets {
  public:
    Buckets(Range range, std::size_t count) noexcept
        : high_(range.high), factor_(static_cast<float>(count) / (range.high - range.low)),
          last_(static_cast<std::int32_t>(count) - 1) {}

    // False when the values are all equal, or too far apart or too close to be told apart.
    bool usable() const noexcept { return std::isfinite(factor_) && factor_ > 0.0F; }

    std::size_t of(float value) const noexcept {
        const auto bucket = static_cast<std::int32_t>((high_ - value) * factor_);
        return static_cast<std::size_t>(std::min(bucket, last_));
    }

  private:
    float high_;
    float factor_;
    std::int32_t last_;
};

float keep_by_comparing(std::vector<float>& values, std::size_t k) {
    const auto last = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
    select_in_steps(values.begin(), last, values.end(), std::greater<>());
    values.erase(last + 1, values.end());
    return values.back();
}

// Nearly in order already: what is out of order lies within a bucket.
void insert_in_order(std::span<Hit> hits) {
    for (const auto [begin, end] : steps(hits.size())) {
        for (std::size_t i = begin; i < end; ++i) {
            const Hit hit = hits[i];
            std::size_t at = i;
            for (; at > 0 && before(hit, hits[at - 1]); --at) {
                hits[at] = hits[at - 1];
            }
            hits[at] = hit;
        }
    }
}

void sort_hits(std::span<Hit> hits) {
    sort_in_steps(hits.begin(), hits.end(),
                  [](const Hit& a, const Hit& b) { return before(a, b); });
}

}  // namespace

float keep_greatest(std::vector<float>& values, std::size_t k, std::size_t most) {
    if (values.size() <= kFewValues) {
        return keep_by_comparing(values, k);
    }
    const auto value = [](float x) { return x; };
    const Range range = range_of(std::span<const float>(values), value);
    if (values.size() == k) {
        return range.low;
    }
    const Buckets buckets(range, kSelectionBuckets);
    if (!buckets.usable()) {
        return keep_by_comparing(values, k);
    }
    std::array<std::uint32_t, kSelectionBuckets> counts{};
    for (const auto [begin, end] : steps(values.size())) {
        for (std::size_t i = begin; i < end; ++i) {
            ++counts[buckets.of(values[i])];
        }
    }
    std::size_t kept = 0;
    std::size_t end = 0;
    while (kept < k) {
        kept += counts[end++];
    }
    if (kept > most) {
        return keep_by_comparing(values, k);
    }
    std::size_t at = 0;
    for (const auto step : steps(values.size())) {
        for (std::size_t i = step.begin; i < step.end; ++i) {
            const float x = values[i];
            values[at] = x;
            at += buckets.of(x) < end ? 1U : 0U;
        }
    }
    values.resize(at);
    return range_of(std::span<const float>(values), value).low;
}

void rank(std::vector<Hit>& hits) {
    const auto score = [](const Hit& hit) { return hit.score; };
    if (hits.size() <= kFewValues) {
        insert_in_order(hits);
        return;
    }
    const std::size_t count = std::min(std::bit_ceil(hits.size()), kMostRankBuckets);
    const Buckets buckets(range_of(std::span<const Hit>(hits), score), count);
    if (!buckets.usable()) {
        sort_hits(hits);
        return;
    }
    std::vector<std::uint32_t> ends(count + 1);  // of bucket i - 1, then where bucket i goes on
    for (const auto [begin, end] : steps(hits.size())) {
        for (std::size_t i = begin; i < end; ++i) {
            ++ends[buckets.of(hits[i].score) + 1];
        }
    }
    for (std::size_t i = 0; i < count; ++i) {
        ends[i + 1] += ends[i];
    }
    std::vector<Hit> dealt;
    resize_in_steps(dealt, hits.size());
    for (const auto [begin, end] : steps(hits.size(), kScatterWeight)) {
        for (std::size_t i = begin; i < end; ++i) {
            dealt[ends[buckets.of(hits[i].score)]++] = hits[i];
        }
    }
    hits.swap(dealt);
    std::size_t first = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (ends[i] - first > kFewValues) {
            sort_hits(std::span(hits).subspan(first, ends[i] - first));
        }
        first = ends[i];
    }
    insert_in_order(hits);
}

}  // namespace gnomon::detail
