// Kernels over lists and texts.
#include <cmath>
#include <memory>
#include <string>
#include <string_view>

#include "gnomon/bm25.hpp"
#include "gnomon/ranking.hpp"
#include "gnomon/rrf.hpp"
#include "gnomon/text.hpp"
#include "work.hpp"

namespace gnomon::counting {

namespace {

constexpr std::size_t kQueries = 100;
constexpr std::size_t kLength = 100;

// Lists of distinct ids, some of which several lists share.
struct Lists {
    std::vector<std::int64_t> ids;
    std::vector<std::int64_t> offsets{0};

    Lists(std::size_t length, std::uint64_t seed) {
        Numbers numbers(seed);
        for (std::size_t q = 0; q < kQueries; ++q) {
            const std::size_t first = numbers.below(50);
            for (std::size_t i = 0; i < length; ++i) {
                const std::size_t id = (first + i * 37) % 257;  // 257 is prime: no id twice
                ids.push_back(static_cast<std::int64_t>(id));
            }
            offsets.push_back(static_cast<std::int64_t>(ids.size()));
        }
    }
};

Counted fusion() {
    struct Inputs {
        Lists one{kLength, 1};
        Lists other{kLength, 2};
        std::vector<double> weights{1.0, 0.5};
    };
    auto inputs = std::make_shared<Inputs>();
    return [inputs] {
        const std::vector<RankedLists> lists{{inputs->one.ids, inputs->one.offsets},
                                             {inputs->other.ids, inputs->other.offsets}};
        RrfRequest request;
        request.lists = lists;
        request.weights = inputs->weights;
        return rrf(request, 1, Interrupted()).ids.size();
    };
}

Counted metrics() {
    struct Inputs {
        Lists found{kLength, 1};
        Lists judged{10, 3};
        std::vector<double> gains;
        std::vector<double> discounts;
    };
    auto inputs = std::make_shared<Inputs>();
    for (std::size_t i = 0; i < inputs->judged.ids.size(); ++i) {
        inputs->gains.push_back(static_cast<double>(i % 3));
    }
    for (std::size_t rank = 1; rank <= kLength; ++rank) {
        inputs->discounts.push_back(1.0 / std::log2(static_cast<double>(rank) + 1.0));
    }
    return [inputs] {
        const Interrupted never;
        const PerQuery<std::int64_t> found{inputs->found.ids, inputs->found.offsets};
        const PerQuery<std::int64_t> judged{inputs->judged.ids, inputs->judged.offsets};
        std::vector<std::int64_t> ranks(inputs->judged.ids.size());
        ranks_in_lists(found, judged, ranks, 1, never);
        const std::vector<Measure> measures{{Metric::recall, 10},
                                            {Metric::reciprocal_rank, 10},
                                            {Metric::average_precision, 100},
                                            {Metric::ndcg, 10}};
        std::vector<double> values(measures.size() * kQueries);
        std::vector<std::int64_t> relevant(kQueries);
        std::vector<std::int64_t> retrieved(kQueries);
        ranking_metrics(ranks, {inputs->gains, inputs->judged.offsets}, measures, inputs->discounts,
                        values, relevant, retrieved, 1, never);
        return values.size();
    };
}

std::string words(std::size_t n, const std::vector<std::string_view>& vocabulary) {
    Numbers numbers(7);
    std::string text;
    for (std::size_t i = 0; i < n; ++i) {
        text += vocabulary[numbers.below(vocabulary.size())];
        text += numbers.below(12) == 0 ? ". " : " ";
    }
    return text;
}

Counted analysis(const std::vector<std::string_view>& vocabulary) {
    auto text = std::make_shared<std::string>(words(20'000, vocabulary));
    return [text] {
        TokenStream stream;
        std::size_t n = 0;
        for_each_token(stream, *text, [&n](std::string_view token) { n += token.size(); });
        return n;
    };
}

// Passages and questions of words with a few common and many rare ones.
struct Corpus {
    std::vector<std::string> names;
    std::vector<std::string_view> tokens;
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::string_view> asked;
    std::vector<std::uint64_t> asked_offsets{0};

    Corpus() {
        for (std::size_t i = 0; i < 3000; ++i) {
            names.push_back("w" + std::to_string(i * 7919 % 100'003));
        }
        Numbers numbers(11);
        for (std::size_t doc = 0; doc < 2000; ++doc) {
            for (std::size_t i = 10 + numbers.below(30); i > 0; --i) {
                tokens.push_back(word(numbers));
            }
            offsets.push_back(tokens.size());
        }
        for (std::size_t q = 0; q < 50; ++q) {
            for (std::size_t i = 0; i < 4; ++i) {
                asked.push_back(word(numbers));
            }
            asked_offsets.push_back(asked.size());
        }
    }

    TokenLists docs() const { return {tokens, offsets}; }
    TokenLists queries() const { return {asked, asked_offsets}; }

  private:
    std::string_view word(Numbers& numbers) const {
        const std::size_t most = 1 + numbers.below(names.size());
        return names[numbers.below(most)];
    }
};

Counted building() {
    auto corpus = std::make_shared<Corpus>();
    return [corpus] { return BM25Index::build(corpus->docs(), BM25Settings()).docs(); };
}

Counted lexical_search(BM25Strategy strategy) {
    auto corpus = std::make_shared<Corpus>();
    auto index = std::make_shared<BM25Index>(BM25Index::build(corpus->docs(), BM25Settings()));
    return [corpus, index, strategy] {
        BM25Request request;
        request.queries = corpus->queries();
        request.k = 10;
        BM25Options options;
        options.strategy = strategy;
        return index->search(request, options).ids.size();
    };
}

}  // namespace

std::vector<Work> list_works() {
    return {
        {"bm25, building", building},
        {"bm25, pruned", [] { return lexical_search(BM25Strategy::pruned); }},
        {"bm25, exhaustive", [] { return lexical_search(BM25Strategy::exhaustive); }},
        {"rrf", fusion},
        {"metrics", metrics},
        {"text, ASCII",
         [] { return analysis({"The", "index", "holds", "vectors", "of", "384", "dimensions"}); }},
        {"text, other",
         [] {
             return analysis({"Zu\xCC\x88rich",
                              "\xC3\x9C"
                              "bung",
                              "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", "\xD0\x9C\xD0\xB8\xD1\x80",
                              "caf\xC3\xA9"});
         }},
    };
}

}  // namespace gnomon::counting
