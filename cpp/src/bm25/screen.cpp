#include "bm25/screen.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "bm25/bound.hpp"
#include "gnomon/steps.hpp"

namespace gnomon::detail::bm25 {

namespace {

// Below so many postings of a window, its sums are read and cleared one by one.
constexpr std::size_t kSparse = 192;
// Costs in cycles, measured: to add a posting, to collect it alone or with all others of the
// window, to take one candidate through the terms that were left out.
constexpr double kReadCost = 1.5;
constexpr double kSparseCost = 2.5;
constexpr double kSweepCost = 500.0;
constexpr double kCandidateCost = 60.0;
constexpr double kSpread = 0.6;
// Looking a document up in a list costs as much as reading so many postings in sequence.
constexpr std::size_t kLookupCost = 24;

// A term as the screen uses it, in the window at hand.
struct ScreenTerm {
    const PostingList* list;
    std::uint32_t multiplier;
    std::int32_t top;        // its largest contribution to the window, 0 without a posting
    Stretch stretch;         // its postings in the window
    std::uint32_t position;  // short lists: where the next window begins
};

// Documents that may be among the best k: the sum, and below it the row, in one word.
class Pool {
  public:
    Pool(std::vector<std::uint64_t>& entries, std::size_t k, std::size_t terms)
        : entries_(entries), k_(k), terms_(terms), full_(std::max(2 * k, k + 256)) {
        entries_.clear();
    }

    // Documents with a smaller sum need not be offered.
    std::int32_t least() const noexcept { return least_; }
    void raise(std::int32_t least) noexcept { least_ = std::max(least_, least); }

    void add(std::uint32_t sum, std::uint32_t row) {
        entries_.push_back(static_cast<std::uint64_t>(sum) << 32U | row);
    }

    void thin_when_full() {
        if (entries_.size() >= full_) {
            thin();
            full_ = std::max(full_, 2 * entries_.size());
        }
    }

    // Drops what can't be among the best k.
    void thin() {
        if (entries_.size() > k_) {
            raise(least_sum(coarse_kth(), terms_));
        }
        std::size_t kept = 0;
        for (const auto [begin, end] : steps(entries_.size())) {
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint64_t entry = entries_[i];
                entries_[kept] = entry;
                kept += static_cast<std::int32_t>(entry >> 32U) < least_ ? 0 : 1;
            }
        }
        entries_.resize(kept);
    }

    std::span<const std::uint64_t> entries() const noexcept { return entries_; }

  private:
    // A sum that k entries reach, at most one step of the histogram below the k-th largest.
    std::int32_t coarse_kth() const {
        constexpr unsigned kStepBits = 6;
        std::uint32_t counts[(65536U >> kStepBits)] = {};
        for (const auto [begin, end] : steps(entries_.size())) {
            for (std::size_t i = begin; i < end; ++i) {
                ++counts[entries_[i] >> (32U + kStepBits)];
            }
        }
        std::size_t step = std::size(counts);
        for (std::size_t above = 0; above < k_;) {
            above += counts[--step];
        }
        return static_cast<std::int32_t>(step << kStepBits);
    }

    std::vector<std::uint64_t>& entries_;
    std::size_t k_;
    std::size_t terms_;
    std::size_t full_;
    std::int32_t least_ = 1;
};

class Screen {
  public:
    Screen(const IndexData& data, const ScreenKernels& kernels, const Admission& admission,
           std::size_t k, Workspace& workspace, BM25Counters& counters)
        : data_(data), kernels_(kernels), admission_(admission), workspace_(workspace),
          counters_(counters), pool_(workspace.pool, k, workspace.query.terms().size()),
          sums_(workspace.window->sums) {
        set_terms(k);
    }

    void run() {
        const std::size_t windows = data_.view.shape.windows();
        Meter meter;
        for (std::size_t window = next_window(0); window < windows;
             window = next_window(window + 1)) {
            meter.add(kWindowRows);
            enter(window);
            std::int32_t all = 0;
            for (const ScreenTerm& term : terms_) {
                all += term.top;
            }
            if (all >= pool_.least()) {
                screen_window(window);
                pool_.thin_when_full();
            }
        }
        pool_.thin();
    }

    std::span<const std::uint64_t> survivors() const noexcept { return pool_.entries(); }

  private:
    void set_terms(std::size_t k) {
        double weights = 0.0;
        for (const QueryTerm& term : workspace_.query.terms()) {
            weights += term.weight;
        }
        const std::size_t n = workspace_.query.terms().size();
        terms_.reserve(n);
        for (const QueryTerm& term : workspace_.query.terms()) {
            const std::uint32_t factor = multiplier(term.weight, weights, n);
            terms_.push_back({&term.list, factor, 0, {}, 0});
            any_long_ |= term.list.is_long();
            // So many documents at least reach this sum by one term alone.
            const std::uint16_t part = term.list.part_of_rank(k + admission_.excluded());
            if (part > 0 && !admission_.has_subset()) {
                pool_.raise(least_sum(static_cast<std::int32_t>(contribution(part, factor)), n));
            }
        }
        std::sort(terms_.begin(), terms_.end(), [](const ScreenTerm& a, const ScreenTerm& b) {
            return a.multiplier < b.multiplier;
        });
    }

    // The first window from `from` on that may hold a posting.
    std::size_t next_window(std::size_t from) const noexcept {
        if (any_long_) {
            return from;
        }
        std::size_t next = data_.view.shape.windows();
        for (const ScreenTerm& term : terms_) {
            if (term.position < term.list->size()) {
                next = std::min<std::size_t>(next, term.list->rows()[term.position] >> kWindowBits);
            }
        }
        return next;
    }

    void enter(std::size_t window) noexcept {
        for (ScreenTerm& term : terms_) {
            const PostingList& list = *term.list;
            if (list.is_long()) {
                term.stretch = list.window(window);
                term.top = term.stretch.size() == 0
                               ? 0
                               : static_cast<std::int32_t>(
                                     contribution(list.window_top(window), term.multiplier));
                continue;
            }
            std::uint32_t end = term.position;
            while (end < list.size() && list.rows()[end] >> kWindowBits <= window) {
                ++end;
            }
            term.stretch = {term.position, end};
            term.position = end;
            term.top = term.stretch.size() == 0
                           ? 0
                           : static_cast<std::int32_t>(contribution(list.top(), term.multiplier));
        }
    }

    // Terms whose contributions together can't lift a document over the bar are not read: only the
    // documents of the other terms can be hits, and those are looked up in them.
    void screen_window(std::size_t window) {
        std::int32_t rest = 0;
        std::size_t first = 0;
        std::size_t skipped = 0;
        while (rest + terms_[first].top < pool_.least()) {
            skipped += terms_[first].stretch.size();
            rest += terms_[first++].top;
        }
        std::size_t read = 0;
        for (std::size_t i = first; i < terms_.size(); ++i) {
            read += terms_[i].stretch.size();
        }
        if (skipped > 0 && !skipping_pays(first, pool_.least() - rest, read, skipped)) {
            read += skipped;
            rest = 0;
            first = 0;
        }
        for (std::size_t i = first; i < terms_.size(); ++i) {
            add(terms_[i], window);
        }
        counters_.postings_screened += read;
        const auto least = static_cast<std::uint16_t>(std::max(pool_.least() - rest, 1));
        if (read < kSparse) {
            collect_sparse(first, window, least);
        } else {
            n_ = kernels_.sweep(sums_, least, workspace_.places.data(), workspace_.found.data());
        }
        for (std::size_t i = first; i-- > 0 && n_ > 0;) {
            rest -= terms_[i].top;
            refine(terms_[i], window, pool_.least() - rest);
        }
        const auto first_row = static_cast<std::uint32_t>(window << kWindowBits);
        const bool all = admission_.all();
        for (std::size_t i = 0; i < n_; ++i) {
            const std::uint32_t row = first_row + workspace_.places[i];
            if (all || admission_.admits(row)) {
                pool_.add(workspace_.found[i], row);
            }
        }
    }

    // Whether leaving `skipped` postings unread is worth the candidates that it makes of documents
    // whose other terms reach `need`. A guess, from contributions spread evenly over the upper part
    // of their range; the answer doesn't depend on it.
    bool skipping_pays(std::size_t first, std::int32_t need, std::size_t read,
                       std::size_t skipped) const noexcept {
        double candidates = 0.0;
        for (std::size_t i = first; i < terms_.size(); ++i) {
            const double top = terms_[i].top;
            if (terms_[i].top > need) {
                candidates += static_cast<double>(terms_[i].stretch.size()) *
                              std::min(1.0, (top - need) / (kSpread * top));
            }
        }
        const auto reading = [](std::size_t postings) {
            return static_cast<double>(postings) * kReadCost +
                   std::min(static_cast<double>(postings) * kSparseCost, kSweepCost);
        };
        return reading(read) + candidates * kCandidateCost < reading(read + skipped);
    }

    void add(const ScreenTerm& term, std::size_t window) noexcept {
        const PostingList& list = *term.list;
        const Stretch in = term.stretch;
        if (list.is_long()) {
            kernels_.add(list.places() + in.begin, list.parts() + in.begin, in.size(),
                         term.multiplier, sums_);
            return;
        }
        for (std::uint32_t at = in.begin; at < in.end; ++at) {
            std::uint16_t& sum = sums_[place_of(term, at, window)];
            sum = static_cast<std::uint16_t>(sum + contribution(list.parts()[at], term.multiplier));
        }
    }

    static std::size_t place_of(const ScreenTerm& term, std::uint32_t at,
                                std::size_t window) noexcept {
        return term.list->is_long() ? term.list->places()[at] >> kCountBits
                                    : term.list->rows()[at] - (window << kWindowBits);
    }

    // Each sum is read once, since reading it clears it.
    void collect_sparse(std::size_t first, std::size_t window, std::uint16_t least) noexcept {
        n_ = 0;
        for (std::size_t i = first; i < terms_.size(); ++i) {
            const ScreenTerm& term = terms_[i];
            for (std::uint32_t at = term.stretch.begin; at < term.stretch.end; ++at) {
                const std::size_t place = place_of(term, at, window);
                workspace_.places[n_] = static_cast<std::uint16_t>(place);
                workspace_.found[n_] = sums_[place];
                n_ += sums_[place] >= least ? 1 : 0;
                sums_[place] = 0;
            }
        }
    }

    // Adds a term to the sums of the candidates, and keeps those that reach `least`.
    void refine(const ScreenTerm& term, std::size_t window, std::int32_t least) noexcept {
        const std::size_t size = term.stretch.size();
        if (size == 0) {
            return;
        }
        std::uint16_t* places = workspace_.places.data();
        std::uint16_t* found = workspace_.found.data();
        const bool look_up = n_ * kLookupCost < size;
        if (look_up) {
            counters_.looked_up += n_;
            const auto first_row = static_cast<std::uint32_t>(window << kWindowBits);
            for (std::size_t i = 0; i < n_; ++i) {
                const std::uint32_t row = first_row + places[i];
                const auto [at, there] = term.list->is_long()
                                             ? term.list->find_long(row, term.stretch)
                                             : term.list->find_short(row, term.stretch);
                if (there) {
                    found[i] = static_cast<std::uint16_t>(
                        found[i] + contribution(term.list->parts()[at], term.multiplier));
                }
            }
        } else {
            counters_.postings_screened += size;
            add(term, window);
            for (std::size_t i = 0; i < n_; ++i) {
                found[i] = static_cast<std::uint16_t>(found[i] + sums_[places[i]]);
            }
            std::memset(sums_, 0, sizeof(WindowSums));
        }
        std::size_t kept = 0;
        for (std::size_t i = 0; i < n_; ++i) {
            places[kept] = places[i];
            found[kept] = found[i];
            kept += found[i] >= least ? 1 : 0;
        }
        n_ = kept;
    }

    const IndexData& data_;
    const ScreenKernels& kernels_;
    const Admission& admission_;
    Workspace& workspace_;
    BM25Counters& counters_;
    Pool pool_;
    std::uint16_t* sums_;
    std::vector<ScreenTerm> terms_;  // ascending by multiplier
    bool any_long_ = false;
    std::size_t n_ = 0;  // candidates in workspace_.places and workspace_.found
};

// Scores above 0 in ranking order are ascending words: the bits of a positive float grow with it.
std::uint64_t rank_key(float score, std::uint32_t row) noexcept {
    constexpr std::uint32_t kAboveAll = 0x7FFFFFFFU;
    return static_cast<std::uint64_t>(kAboveAll - std::bit_cast<std::uint32_t>(score)) << 32U | row;
}

Hit hit_of(std::uint64_t key) noexcept {
    constexpr std::uint32_t kAboveAll = 0x7FFFFFFFU;
    return {std::bit_cast<float>(kAboveAll - static_cast<std::uint32_t>(key >> 32U)),
            static_cast<std::int64_t>(key & UINT32_MAX)};
}

void rank_survivors(const IndexData& data, const ScreenKernels& kernels,
                    std::span<const std::uint64_t> survivors, std::size_t k, Workspace& workspace) {
    std::vector<std::uint32_t>& rows = workspace.rows;
    resize_in_steps(rows, survivors.size());
    for (const auto [begin, end] : steps(rows.size())) {
        for (std::size_t i = begin; i < end; ++i) {
            rows[i] = static_cast<std::uint32_t>(survivors[i]);
        }
    }
    const auto scores = workspace.query.score(data, data.part(), rows, workspace.window->sums);
    std::vector<std::uint64_t>& keys = workspace.keys;
    keys.clear();
    for (const auto [begin, end] : steps(rows.size())) {
        for (std::size_t i = begin; i < end; ++i) {
            const auto score = static_cast<float>(scores[i]);
            if (score > 0.0F) {
                keys.push_back(rank_key(score, rows[i]));
            }
        }
    }
    resize_in_steps(workspace.hits, std::min(k, keys.size()));
    if (keys.size() <= kMostRanked) {
        workspace.ranks.resize(keys.size());
        kernels.rank(keys.data(), keys.size(), workspace.ranks.data());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (workspace.ranks[i] < workspace.hits.size()) {
                workspace.hits[workspace.ranks[i]] = hit_of(keys[i]);
            }
        }
        return;
    }
    const auto past = keys.begin() + static_cast<std::ptrdiff_t>(workspace.hits.size());
    arrange_in_steps(keys.size(), std::less<>(), [&](auto before) {
        std::partial_sort(keys.begin(), past, keys.end(), before);
    });
    for (const auto [begin, end] : steps(workspace.hits.size())) {
        for (std::size_t i = begin; i < end; ++i) {
            workspace.hits[i] = hit_of(keys[i]);
        }
    }
}

}  // namespace

void screened_top_k(const IndexData& data, const ScreenKernels& kernels, const Admission& admission,
                    std::size_t k, Workspace& workspace, BM25Counters& counters) {
    workspace.hits.clear();
    if (workspace.query.terms().empty()) {
        return;
    }
    Screen screen(data, kernels, admission, k, workspace, counters);
    screen.run();
    rank_survivors(data, kernels, screen.survivors(), k, workspace);
    counters.rescored += screen.survivors().size();
}

}  // namespace gnomon::detail::bm25
