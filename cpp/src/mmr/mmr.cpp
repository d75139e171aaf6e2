// Lays out the answers, and gives every query to a worker.
#include "gnomon/mmr.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "gnomon/steps.hpp"
#include "linear/first_row.hpp"
#include "mmr/lazy_walk.hpp"
#include "mmr/matrix_walk.hpp"
#include "mmr/picks.hpp"
#include "mmr/pool.hpp"
#include "mmr/request_checks.hpp"

namespace gnomon {

namespace {

using detail::FirstRow;
using detail::Meter;
using detail::Picks;
using detail::PoolSource;

// Some 100 microseconds of work.
constexpr std::size_t kLeastBlockElements = std::size_t{1} << 18U;

class Job {
  public:
    Job(const MmrRequest& request, Isa isa) : request_(request), isa_(isa) {
        lists_.resize(request.lambdas.size());
        offsets_.assign(1, 0);
        for (std::size_t q = 0; q < request.queries.rows; ++q) {
            const std::size_t count = std::min(request.k, source(q).size());
            offsets_.push_back(offsets_.back() + static_cast<std::int64_t>(count));
        }
        for (HitLists& list : lists_) {
            list.offsets = offsets_;
            detail::resize_in_steps(list.ids, static_cast<std::size_t>(offsets_.back()));
            detail::resize_in_steps(list.scores, static_cast<std::size_t>(offsets_.back()));
        }
    }

    std::vector<HitLists> run(int threads, const Interrupted& interrupted) {
        const std::size_t step = queries_per_block();
        const std::size_t queries = request_.queries.rows;
        const std::size_t blocks = (queries + step - 1) / step;
        std::vector<std::unique_ptr<Worker>> workers(
            std::min(blocks, static_cast<std::size_t>(std::max(1, threads))));
        parallel_for(blocks, threads, interrupted, [&](std::size_t block, int number) {
            std::unique_ptr<Worker>& worker = workers[static_cast<std::size_t>(number)];
            if (!worker) {
                worker = std::make_unique<Worker>(isa_, request_.queries.cols);
            }
            Meter meter;
            const std::size_t end = std::min(queries, (block + 1) * step);
            for (std::size_t query = block * step; query < end; ++query) {
                pick(query, *worker, meter);
            }
        });
        refuse_nonfinite();
        return std::move(lists_);
    }

  private:
    struct Worker {
        Worker(Isa isa, std::size_t cols) : pool(isa, cols), matrix_walk(isa, cols) {}
        detail::Pool pool;
        detail::LazyWalk lazy_walk;
        detail::MatrixWalk matrix_walk;
        std::vector<Picks> picks;
    };

    // Enough for a thread to be worth its start.
    std::size_t queries_per_block() const noexcept {
        std::size_t elements = 0;
        for (std::size_t q = 0; q < request_.queries.rows; ++q) {
            elements += source(q).size() * request_.queries.cols;
        }
        const std::size_t average = elements / std::max<std::size_t>(1, request_.queries.rows);
        return std::max<std::size_t>(1, kLeastBlockElements / std::max<std::size_t>(1, average));
    }

    bool is_shared() const noexcept { return request_.pools.size() == 1; }

    PoolSource source(std::size_t query) const noexcept {
        if (request_.row_offsets.empty()) {
            return {&request_.pools[is_shared() ? 0 : query], {}, true};
        }
        const auto first = static_cast<std::size_t>(request_.row_offsets[query]);
        const auto past = static_cast<std::size_t>(request_.row_offsets[query + 1]);
        return {request_.pools.data(), request_.rows.subspan(first, past - first), false};
    }

    void pick(std::size_t query, Worker& worker, Meter& meter) {
        if (!worker.pool.load_query(request_.queries, query)) {
            bad_query_.offer(query);
            return;
        }
        worker.pool.load_rows(source(query));
        const auto first = static_cast<std::size_t>(offsets_[query]);
        const auto count = static_cast<std::size_t>(offsets_[query + 1]) - first;
        worker.picks.clear();
        for (HitLists& list : lists_) {
            worker.picks.push_back({list.ids.data() + first, list.scores.data() + first, count});
        }
        if (!pick_from_pool(worker, count, meter)) {
            bad_pool_.offer(is_shared() ? 0 : query);
        }
    }

    // False when a row isn't finite.
    bool pick_from_pool(Worker& worker, std::size_t count, Meter& meter) const {
        const auto lambdas = request_.lambdas;
        if (detail::pays_for_matrix(worker.pool.size(), lambdas.size(), count)) {
            return worker.matrix_walk.run(worker.pool, lambdas, worker.picks);
        }
        if (!worker.pool.measure(detail::wants_similarities(lambdas, count), meter)) {
            return false;
        }
        worker.lazy_walk.run(worker.pool, lambdas, worker.picks, meter);
        return true;
    }

    // The first bad query, else the lowest bad row among all that are in a pool.
    void refuse_nonfinite() const {
        if (const auto query = bad_query_.get()) {
            throw NonFiniteError("queries", *query);
        }
        const auto bad = bad_pool_.get();
        if (!bad) {
            return;
        }
        FirstRow row;
        for (std::size_t q = is_shared() ? 0 : *bad; q < request_.queries.rows; ++q) {
            if (const auto found = first_nonfinite_row(source(q))) {
                row.offer(*found);
            }
            if (!is_shared() || request_.row_offsets.empty()) {
                break;
            }
        }
        throw NonFiniteError(is_shared() ? "pool" : "pool of query " + std::to_string(*bad),
                             row.get().value_or(0));
    }

    const MmrRequest& request_;
    Isa isa_;
    std::vector<std::int64_t> offsets_;
    std::vector<HitLists> lists_;
    FirstRow bad_query_;
    FirstRow bad_pool_;  // of a query, or 0 when all share one
};

}  // namespace

std::vector<HitLists> mmr(const MmrRequest& request, Isa isa, int threads,
                          const Interrupted& interrupted) {
    const Interruptible scope(interrupted);
    detail::check_mmr(request);
    if (request.lambdas.empty()) {
        return {};
    }
    return Job(request, isa).run(threads, interrupted);
}

std::vector<HitLists> mmr(const MmrRequest& request, int threads, const Interrupted& interrupted) {
    return mmr(request, chosen_isa(), threads, interrupted);
}

}  // namespace gnomon
