// Differential fuzzing of rank fusion: the bytes choose lists that share and repeat ids, weights
// and a constant; every runnable instruction set, thread count and order of the lists must give
// exactly the ids and scores of the plain definition.
#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "gnomon/rrf.hpp"
#include "search_problem.hpp"

namespace {

using namespace gnomon::testing;

struct List {
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> offsets{0};
    double weight = 1.0;
};

struct Fusion {
    std::vector<List> lists;
    std::size_t queries = 1;
    double k = 60.0;
    std::size_t top = 1;
};

struct Standing {
    std::vector<double> shares;
    std::size_t best_rank = SIZE_MAX;
};

double drawn_weight(FuzzedDataProvider& bytes) {
    constexpr std::array kCommon{1.0, 0.0, 0.5, 3.0, 1e-300, 1e30, 0x1p-1074, 0x1p-53};
    const auto choice = bytes.ConsumeIntegral<std::uint8_t>();
    return choice < 192 ? kCommon.at(choice % kCommon.size())
                        : bytes.ConsumeFloatingPointInRange<double>(0.0, 1000.0);
}

std::vector<std::int64_t> drawn_ids(FuzzedDataProvider& bytes) {
    const auto kind = bytes.ConsumeIntegralInRange<int>(0, 3);
    std::vector<std::int64_t> pool(bytes.ConsumeIntegralInRange<std::size_t>(1, 40));
    for (std::size_t i = 0; i < pool.size(); ++i) {
        switch (kind) {
        case 0: pool[i] = static_cast<std::int64_t>(i) - 3; break;
        case 1: pool[i] = bytes.ConsumeIntegral<std::int64_t>(); break;
        case 2: pool[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(i) << 57U); break;
        default: pool[i] = INT64_MAX - static_cast<std::int64_t>(i); break;
        }
    }
    return pool;
}

Fusion drawn_fusion(FuzzedDataProvider& bytes) {
    Fusion made;
    Random random(bytes.ConsumeIntegral<std::uint64_t>());
    made.queries = bytes.ConsumeIntegralInRange<std::size_t>(0, 12);
    made.lists.resize(bytes.ConsumeIntegralInRange<std::size_t>(1, 7));
    made.k = bytes.ConsumeBool() ? 60.0 : bytes.ConsumeFloatingPointInRange<double>(0.0, 1e6);
    made.top = bytes.ConsumeBool() ? SIZE_MAX : bytes.ConsumeIntegralInRange<std::size_t>(1, 30);
    const auto longest = bytes.ConsumeIntegralInRange<std::size_t>(0, 60);
    const std::vector<std::int64_t> pool = drawn_ids(bytes);
    for (List& list : made.lists) {
        list.weight = drawn_weight(bytes);
        for (std::size_t q = 0; q < made.queries; ++q) {
            for (std::size_t i = random.below(longest + 1); i > 0; --i) {
                list.ids.push_back(pool[bytes.remaining_bytes() > 0
                                            ? bytes.ConsumeIntegral<std::uint8_t>() % pool.size()
                                            : random.below(pool.size())]);
            }
            list.offsets.push_back(static_cast<std::int64_t>(list.ids.size()));
        }
    }
    if (std::all_of(made.lists.begin(), made.lists.end(),
                    [](const List& list) { return list.weight == 0.0; })) {
        made.lists.back().weight = 1.0;
    }
    return made;
}

std::map<std::int64_t, Standing> standings(const Fusion& fusion, std::size_t q) {
    std::map<std::int64_t, Standing> found;
    for (const List& list : fusion.lists) {
        std::set<std::int64_t> seen;
        for (std::int64_t i = list.offsets[q]; list.weight > 0.0 && i < list.offsets[q + 1]; ++i) {
            const std::int64_t id = list.ids[static_cast<std::size_t>(i)];
            if (seen.insert(id).second) {
                Standing& standing = found[id];
                standing.shares.push_back(list.weight /
                                          (fusion.k + static_cast<double>(seen.size())));
                standing.best_rank = std::min(standing.best_rank, seen.size());
            }
        }
    }
    return found;
}

gnomon::HitLists plain_rrf(const Fusion& fusion) {
    gnomon::HitLists lists;
    lists.offsets.push_back(0);
    for (std::size_t q = 0; q < fusion.queries; ++q) {
        std::vector<std::tuple<float, std::size_t, std::int64_t>> order;
        for (auto& [id, standing] : standings(fusion, q)) {
            std::sort(standing.shares.begin(), standing.shares.end(), std::greater<>());
            const double sum = std::accumulate(standing.shares.begin(), standing.shares.end(), 0.0);
            order.emplace_back(-static_cast<float>(sum), standing.best_rank, id);
        }
        std::sort(order.begin(), order.end());
        order.resize(std::min(order.size(), fusion.top));
        for (const auto& [negated, rank, id] : order) {
            lists.ids.push_back(id);
            lists.scores.push_back(0.0F - negated);
        }
        lists.offsets.push_back(static_cast<std::int64_t>(lists.ids.size()));
    }
    return lists;
}

gnomon::HitLists asked(const Fusion& fusion, gnomon::Isa isa, int threads) {
    std::vector<gnomon::RankedLists> views;
    std::vector<double> weights;
    for (const List& list : fusion.lists) {
        views.push_back({list.ids, list.offsets});
        weights.push_back(list.weight);
    }
    gnomon::RrfRequest request;
    request.lists = views;
    request.weights = weights;
    request.k = fusion.k;
    request.top = fusion.top;
    return gnomon::rrf(request, isa, threads, {});
}

void demand(const Fusion& fusion, const gnomon::HitLists& expected, const char* order) {
    for (const gnomon::Isa isa : gnomon::runnable_isas()) {
        for (const int threads : {1, 3}) {
            const std::string what = difference(asked(fusion, isa, threads), expected);
            if (!what.empty()) {
                std::fprintf(stderr, "%s, %d threads, %s: %s\n", gnomon::isa_name(isa), threads,
                             order, what.c_str());
                std::abort();
            }
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider bytes(data, size);
    Fusion fusion = drawn_fusion(bytes);
    const gnomon::HitLists expected = plain_rrf(fusion);
    demand(fusion, expected, "as drawn");
    std::reverse(fusion.lists.begin(), fusion.lists.end());
    demand(fusion, expected, "lists reversed");
    return 0;
}
