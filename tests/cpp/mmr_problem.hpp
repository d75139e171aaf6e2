// Hard problems for maximal marginal relevance, and their answer by the plain definition, which
// shares no code with the kernel. The fuzz target draws problems from bytes, test_races.cpp from
// seeds.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "gnomon/mmr.hpp"
#include "search_problem.hpp"

namespace gnomon::testing {

struct MmrProblem {
    Matrix docs;
    Matrix queries;
    std::vector<std::vector<std::int64_t>> rows;  // one rising list a query
    std::vector<double> lambdas;
    std::size_t k = 1;
    bool own_pools = false;  // hand the rows over as matrices of their own
};

// All cosines of the rows of one matrix with those of another, row by row.
inline std::vector<std::vector<float>> plain_cosines(const Matrix& a, const Matrix& b) {
    const std::vector<double> norms_a = plain_norms(a);
    const std::vector<double> norms_b = plain_norms(b);
    std::vector<std::vector<float>> table(a.rows, std::vector<float>(b.rows));
    for (std::size_t i = 0; i < a.rows; ++i) {
        for (std::size_t j = 0; j < b.rows; ++j) {
            table[i][j] =
                plain_score(plain_dot(a.row(i), b.row(j), a.cols), norms_a[i] * norms_b[j]);
        }
    }
    return table;
}

struct Candidate {
    std::size_t row = 0;
    float relevance = 0.0F;
    float nearest = -2.0F;  // the highest similarity to a pick, once there is one
};

// The picks of one query: rows of the matrix, and the scores at the time.
inline void plain_picks(std::vector<Candidate> left,
                        const std::vector<std::vector<float>>& similarity, double lambda,
                        std::size_t k, HitLists& lists) {
    for (std::size_t turn = 0; turn < k && !left.empty(); ++turn) {
        std::size_t best = 0;
        float best_rank = 0.0F;
        float best_score = 0.0F;
        for (std::size_t i = 0; i < left.size(); ++i) {
            const Candidate& each = left[i];
            double value = lambda * static_cast<double>(each.relevance);
            if (turn > 0) {
                const double penalty = (1.0 - lambda) * static_cast<double>(each.nearest);
                value -= penalty;
            }
            const float score = static_cast<float>(value) + 0.0F;
            const float rank = turn > 0 ? score : each.relevance;
            if (i == 0 || rank > best_rank) {
                best = i;
                best_rank = rank;
                best_score = score;
            }
        }
        const std::size_t picked = left[best].row;
        lists.ids.push_back(static_cast<std::int64_t>(picked));
        lists.scores.push_back(best_score);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
        for (Candidate& each : left) {
            each.nearest = std::max(each.nearest, similarity[each.row][picked]);
        }
    }
    lists.offsets.push_back(static_cast<std::int64_t>(lists.ids.size()));
}

inline std::vector<HitLists> plain_mmr(const MmrProblem& problem) {
    const auto relevance = plain_cosines(problem.queries, problem.docs);
    const auto similarity = plain_cosines(problem.docs, problem.docs);
    std::vector<HitLists> answers;
    for (const double lambda : problem.lambdas) {
        HitLists& lists = answers.emplace_back();
        lists.offsets.push_back(0);
        for (std::size_t q = 0; q < problem.queries.rows; ++q) {
            std::vector<Candidate> candidates;
            for (const std::int64_t id : problem.rows[q]) {
                const auto row = static_cast<std::size_t>(id);
                candidates.push_back({row, relevance[q][row]});
            }
            plain_picks(std::move(candidates), similarity, lambda, problem.k, lists);
        }
    }
    return answers;
}

// Owns what a request only points to.
class MmrAsked {
  public:
    explicit MmrAsked(const MmrProblem& problem) : problem_(problem) {
        request.queries = view_of(problem.queries);
        request.lambdas = problem.lambdas;
        request.k = problem.k;
        if (problem.own_pools) {
            copy_pools();
        } else {
            list_rows();
        }
        request.pools = views_;
    }
    MmrAsked(const MmrAsked&) = delete;
    MmrAsked& operator=(const MmrAsked&) = delete;

    // Ids of an answer as rows of the matrix.
    HitLists as_rows(HitLists lists) const {
        for (std::size_t q = 0; problem_.own_pools && q + 1 < lists.offsets.size(); ++q) {
            for (auto i = static_cast<std::size_t>(lists.offsets[q]);
                 i < static_cast<std::size_t>(lists.offsets[q + 1]); ++i) {
                lists.ids[i] = problem_.rows[q].at(static_cast<std::size_t>(lists.ids[i]));
            }
        }
        return lists;
    }

    MmrRequest request;

  private:
    void list_rows() {
        views_.push_back(view_of(problem_.docs));
        offsets_.push_back(0);
        for (const auto& rows : problem_.rows) {
            rows_.insert(rows_.end(), rows.begin(), rows.end());
            offsets_.push_back(static_cast<std::int64_t>(rows_.size()));
        }
        request.row_offsets = offsets_;
        request.rows = rows_;
    }

    void copy_pools() {
        copies_.reserve(problem_.rows.size());
        for (const auto& rows : problem_.rows) {
            Matrix& copy = copies_.emplace_back();
            copy = {rows.size(), problem_.docs.cols, {}};
            for (const std::int64_t row : rows) {
                const float* from = problem_.docs.row(static_cast<std::size_t>(row));
                copy.values.insert(copy.values.end(), from, from + copy.cols);
            }
            views_.push_back(view_of(copy));
        }
    }

    const MmrProblem& problem_;
    std::vector<Matrix> copies_;
    std::vector<MatrixView> views_;
    std::vector<std::int64_t> offsets_;
    std::vector<std::int64_t> rows_;
};

// Empty when the kernel's answer is the expected one, else where it isn't.
inline std::string first_difference(const MmrProblem& problem,
                                    const std::vector<HitLists>& expected, Isa isa, int threads) {
    const MmrAsked asked(problem);
    const std::vector<HitLists> found = mmr(asked.request, isa, threads, {});
    if (found.size() != expected.size()) {
        return "another number of answers than lambdas";
    }
    for (std::size_t i = 0; i < found.size(); ++i) {
        const std::string what = difference(asked.as_rows(found[i]), expected[i]);
        if (!what.empty()) {
            std::ostringstream said;
            said << std::setprecision(17) << "lambda " << problem.lambdas[i] << ": " << what;
            return said.str();
        }
    }
    return {};
}

}  // namespace gnomon::testing
