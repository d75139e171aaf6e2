// Small corpora that are hard on a BM25 index, and the plain definition of their scores, which
// shares no code with the kernel. Bytes of a fuzzer or of a generator choose them.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gnomon/bm25.hpp"
#include "search_problem.hpp"

namespace gnomon::testing {

using Tokens = std::vector<std::string>;

struct Bm25Problem {
    std::vector<Tokens> docs;
    std::vector<Tokens> queries;
    BM25Settings settings;
    std::size_t k = 1;
    std::vector<std::vector<std::int64_t>> exclude;  // one list a query, or none at all
    std::optional<std::vector<std::int64_t>> subset;
};

// Owns the views that a call takes.
class Lists {
  public:
    explicit Lists(const std::vector<Tokens>& lists) {
        for (const Tokens& tokens : lists) {
            views_.insert(views_.end(), tokens.begin(), tokens.end());
            offsets_.push_back(views_.size());
        }
    }
    Lists(const Lists&) = delete;
    Lists& operator=(const Lists&) = delete;

    TokenLists view() const { return {views_, offsets_}; }
    // Lists [begin, end) alone.
    TokenLists part(std::vector<std::uint64_t>& offsets, std::size_t begin, std::size_t end) const {
        offsets.clear();
        for (std::size_t i = begin; i <= end; ++i) {
            offsets.push_back(offsets_[i] - offsets_[begin]);
        }
        const std::span<const std::string_view> all(views_);
        return {all.subspan(offsets_[begin], offsets_[end] - offsets_[begin]), offsets};
    }

  private:
    std::vector<std::string_view> views_;
    std::vector<std::uint64_t> offsets_{0};
};

inline double plain_idf(BM25Variant variant, double n, double df) {
    switch (variant) {
    case BM25Variant::lucene: return std::log(1.0 + (n - df + 0.5) / (df + 0.5));
    case BM25Variant::robertson: return std::max(0.0, std::log((n - df + 0.5) / (df + 0.5)));
    case BM25Variant::atire: return std::log(n / df);
    case BM25Variant::bm25_plus: return std::log((n + 1.0) / df);
    case BM25Variant::bm25_l: return std::log((n + 1.0) / (df + 0.5));
    }
    return 0.0;
}

inline double plain_part(const BM25Settings& by, double tf, double norm) {
    const double c = tf / norm;
    switch (by.variant) {
    case BM25Variant::lucene:
    case BM25Variant::robertson: return tf / (tf + by.k1 * norm);
    case BM25Variant::atire: return (by.k1 + 1.0) * tf / (tf + by.k1 * norm);
    case BM25Variant::bm25_plus: return (by.k1 + 1.0) * tf / (tf + by.k1 * norm) + by.delta;
    case BM25Variant::bm25_l: return (by.k1 + 1.0) * (c + by.delta) / (by.k1 + c + by.delta);
    }
    return 0.0;
}

// float64[docs] of one query. The logarithm is the platform's: good to a few steps of float64.
inline std::vector<double> plain_scores(const Bm25Problem& problem, const Tokens& query) {
    double total = 0.0;
    std::map<std::string, double> asked;
    std::map<std::string, double> frequency;
    for (const std::string& token : query) {
        asked[token] += 1.0;
    }
    std::vector<std::map<std::string, double>> counts;
    for (const Tokens& doc : problem.docs) {
        total += static_cast<double>(doc.size());
        auto& own = counts.emplace_back();
        for (const std::string& token : doc) {
            if (asked.contains(token)) {
                own[token] += 1.0;
            }
        }
        for (const auto& [token, count] : own) {
            frequency[token] += 1.0;
        }
    }
    const auto n = static_cast<double>(problem.docs.size());
    std::vector<double> scores;
    for (std::size_t row = 0; row < problem.docs.size(); ++row) {
        const auto length = static_cast<double>(problem.docs[row].size());
        const BM25Settings& by = problem.settings;
        const double norm = (1.0 - by.b) + by.b * length / (total / n);
        double score = 0.0;
        for (const auto& [token, tf] : counts[row]) {
            score += asked[token] * plain_idf(by.variant, n, frequency[token]) *
                     plain_part(by, tf, norm);
        }
        scores.push_back(score);
    }
    return scores;
}

// The best k of the given scores above 0, of the rows that query q may find.
inline void rank_scores(const Bm25Problem& problem, std::size_t q, const std::vector<float>& scores,
                        HitLists& lists) {
    const auto holds = [](const std::vector<std::int64_t>& rows, std::size_t row) {
        return std::binary_search(rows.begin(), rows.end(), static_cast<std::int64_t>(row));
    };
    std::vector<std::pair<float, std::int64_t>> hits;
    for (std::size_t row = 0; row < scores.size(); ++row) {
        const bool out = !problem.exclude.empty() && holds(problem.exclude[q], row);
        if (scores[row] > 0.0F && !out && (!problem.subset || holds(*problem.subset, row))) {
            hits.emplace_back(-scores[row], static_cast<std::int64_t>(row));
        }
    }
    std::sort(hits.begin(), hits.end());
    hits.resize(std::min(hits.size(), problem.k));
    for (const auto& [negated, row] : hits) {
        lists.ids.push_back(row);
        lists.scores.push_back(-negated);
    }
    lists.offsets.push_back(static_cast<std::int64_t>(lists.ids.size()));
}

// Owns what a request only points to.
struct Bm25Asked {
    Lists queries;
    std::vector<std::int64_t> offsets;
    std::vector<std::int64_t> rows;
    BM25Request request;

    explicit Bm25Asked(const Bm25Problem& problem) : queries(problem.queries) {
        request.queries = queries.view();
        request.k = problem.k;
        if (!problem.exclude.empty()) {
            offsets.push_back(0);
            for (const auto& list : problem.exclude) {
                rows.insert(rows.end(), list.begin(), list.end());
                offsets.push_back(static_cast<std::int64_t>(rows.size()));
            }
            request.exclude_offsets = offsets;
            request.exclude_rows = rows;
        }
        if (problem.subset) {
            request.subset = std::span<const std::int64_t>(*problem.subset);
        }
    }
    Bm25Asked(const Bm25Asked&) = delete;
    Bm25Asked& operator=(const Bm25Asked&) = delete;
};

inline Tokens drawn_tokens(std::size_t length, const Tokens& words, Random& random) {
    Tokens made;
    while (made.size() < length) {
        const std::string& word =
            words[std::min(random.below(words.size()), random.below(words.size()))];
        const std::size_t repeats = random.below(24) == 0 ? 1 + random.below(300) : 1;
        made.insert(made.end(), std::min(repeats, length - made.size()), word);
    }
    return made;
}

}  // namespace gnomon::testing
