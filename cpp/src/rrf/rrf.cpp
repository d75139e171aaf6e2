// Checks the request, gives the queries to the workers, and closes the gaps between their hits.
#include "gnomon/rrf.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gnomon/steps.hpp"
#include "rrf/fusion.hpp"

namespace gnomon {

namespace {

// Fewer ids than this, some 20 microseconds of work, don't pay for taking a block.
constexpr std::size_t kLeastBlockIds = std::size_t{1} << 12U;

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("rrf: " + what); }

void check_weights(const RrfRequest& request) {
    if (request.weights.size() != request.lists.size()) {
        refuse("there are " + std::to_string(request.weights.size()) + " weights for " +
               std::to_string(request.lists.size()) + " lists");
    }
    if (!(request.k >= 0.0) || std::isinf(request.k)) {
        refuse("k is " + std::to_string(request.k) + "; it must be finite and not negative");
    }
    double sum = 0.0;
    for (const double weight : request.weights) {
        if (!(weight >= 0.0) || std::isinf(weight)) {
            refuse("a weight is " + std::to_string(weight) +
                   "; weights must be finite and not negative");
        }
        sum += weight;
    }
    if (sum == 0.0) {
        refuse("all weights are 0");
    }
    if (!std::isfinite(static_cast<float>(sum / (request.k + 1.0)))) {
        refuse("the weights are too large for a float32 score");
    }
}

void check_lists(const RrfRequest& request) {
    if (request.lists.empty()) {
        refuse("there are no lists");
    }
    const std::size_t entries = request.lists.front().offsets.size();
    for (const RankedLists& list : request.lists) {
        const auto offsets = list.offsets;
        if (offsets.size() != entries || offsets.empty() || offsets.front() != 0 ||
            offsets.back() != static_cast<std::int64_t>(list.ids.size()) ||
            !std::is_sorted(offsets.begin(), offsets.end())) {
            refuse("every list needs " + std::to_string(entries) +
                   " ascending offsets, from 0 to its number of ids");
        }
    }
}

class Job {
  public:
    explicit Job(const RrfRequest& request) : request_(request) {
        const std::size_t queries = request.lists.front().offsets.size() - 1;
        places_.assign(1, 0);
        block_starts_.assign(1, 0);
        std::size_t block_ids = 0;
        detail::Meter meter;
        for (std::size_t q = 0; q < queries; ++q) {
            meter.add(request.lists.size());
            const std::size_t count = ids_of(q);
            if (count >= 0xFFFFFFFFU) {
                refuse("query " + std::to_string(q) + " has more than 4,294,967,294 ids");
            }
            places_.push_back(places_.back() + std::min(count, request.top));
            block_ids += count;
            if (block_ids >= kLeastBlockIds || q + 1 == queries) {
                block_starts_.push_back(q + 1);
                block_ids = 0;
            }
        }
        counts_.resize(queries);
        detail::resize_in_steps(hits_.ids, places_.back());
        detail::resize_in_steps(hits_.scores, places_.back());
    }

    HitLists run(int threads, const Interrupted& interrupted) {
        const std::size_t blocks = block_starts_.size() - 1;
        std::vector<std::unique_ptr<Worker>> workers(
            std::min(blocks, static_cast<std::size_t>(std::max(1, threads))));
        parallel_for(blocks, threads, interrupted, [&](std::size_t block, int number) {
            std::unique_ptr<Worker>& worker = workers[static_cast<std::size_t>(number)];
            if (!worker) {
                worker = std::make_unique<Worker>(request_);
            }
            for (std::size_t q = block_starts_[block]; q < block_starts_[block + 1]; ++q) {
                fuse(q, *worker);
            }
        });
        close_gaps();
        return std::move(hits_);
    }

  private:
    struct Worker {
        explicit Worker(const RrfRequest& request)
            : fusion(request.weights, request.k), lists(request.lists.size()) {}
        detail::Fusion fusion;
        std::vector<std::span<const std::int64_t>> lists;
    };

    static std::span<const std::int64_t> ids_of(const RankedLists& list, std::size_t query) {
        const auto first = static_cast<std::size_t>(list.offsets[query]);
        return list.ids.subspan(first, static_cast<std::size_t>(list.offsets[query + 1]) - first);
    }

    std::size_t ids_of(std::size_t query) const {
        std::size_t count = 0;
        for (const RankedLists& list : request_.lists) {
            count += ids_of(list, query).size();
        }
        return count;
    }

    void fuse(std::size_t query, Worker& worker) {
        for (std::size_t l = 0; l < worker.lists.size(); ++l) {
            worker.lists[l] = ids_of(request_.lists[l], query);
        }
        counts_[query] =
            worker.fusion.run(worker.lists, request_.top, hits_.ids.data() + places_[query],
                              hits_.scores.data() + places_[query]);
    }

    // Queries were given room for as many hits as they have ids.
    void close_gaps() {
        hits_.offsets.assign(1, 0);
        std::size_t end = 0;
        detail::Meter meter;
        for (std::size_t q = 0; q < counts_.size(); ++q) {
            meter.add(1 + counts_[q]);
            const auto from = static_cast<std::ptrdiff_t>(places_[q]);
            const auto count = static_cast<std::ptrdiff_t>(counts_[q]);
            const auto to = static_cast<std::ptrdiff_t>(end);
            if (from != to) {
                std::copy_n(hits_.ids.begin() + from, count, hits_.ids.begin() + to);
                std::copy_n(hits_.scores.begin() + from, count, hits_.scores.begin() + to);
            }
            end += counts_[q];
            hits_.offsets.push_back(static_cast<std::int64_t>(end));
        }
        hits_.ids.resize(end);
        hits_.scores.resize(end);
    }

    const RrfRequest& request_;
    std::vector<std::size_t> places_;  // where the hits of each query are written
    std::vector<std::size_t> block_starts_;
    std::vector<std::size_t> counts_;
    HitLists hits_;
};

}  // namespace

// Nothing here is wide: all instruction sets run the same code.
HitLists rrf(const RrfRequest& request, Isa /*isa*/, int threads, const Interrupted& interrupted) {
    const Interruptible scope(interrupted);
    check_lists(request);
    check_weights(request);
    return Job(request).run(threads, interrupted);
}

HitLists rrf(const RrfRequest& request, int threads, const Interrupted& interrupted) {
    return rrf(request, chosen_isa(), threads, interrupted);
}

}  // namespace gnomon
