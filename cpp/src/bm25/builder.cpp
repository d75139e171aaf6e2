// Counts the terms of documents, batch by batch.
#include <algorithm>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "bm25/formula.hpp"
#include "bm25/gathered.hpp"
#include "bm25/index_data.hpp"
#include "bm25/inversion.hpp"
#include "bm25/token_lists.hpp"
#include "gnomon/steps.hpp"
#include "gnomon/text.hpp"

namespace gnomon {

namespace {

using detail::bm25::Gathered;
using detail::bm25::Piece;
using detail::bm25::Shelf;

constexpr std::size_t kPieceDocs = 512;
constexpr std::size_t kMostDocs = UINT32_MAX;
constexpr std::size_t kTokenWeight = 16;  // hashed, and looked up in a table beyond the caches

// Ends a document: moves its counts from the table into the piece. Returns its largest count.
std::uint32_t close_document(Shelf& shelf, Piece& piece) {
    const auto& counts = shelf.table.counts();
    detail::resize_in_steps(shelf.frequencies, shelf.table.size());
    std::uint32_t most = 0;
    detail::metered(counts.size(), [&](auto meter) {
        for (const auto& [term, count] : counts) {
            meter.add(1);
            ++shelf.frequencies[term];
            most = std::max(most, count);
            if (count == 1) {
                piece.stream.push_back(term);
                continue;
            }
            piece.stream.push_back(term | detail::bm25::kCountFollows);
            piece.stream.push_back(count);
            if (count >= detail::bm25::kManyTimes) {
                shelf.large.push_back({term, count});
            }
        }
    });
    piece.distinct.push_back(static_cast<std::uint32_t>(counts.size()));
    return most;
}

void expect_whole(const Gathered& gathered) {
    if (!gathered.whole) {
        throw std::logic_error("bm25: adding documents to this builder was stopped by an error or "
                               "an interruption; begin with a new one");
    }
}

// count_document(shelf, row within the batch, worker) returns the number of tokens.
template <typename Count>
void add_documents(Gathered& gathered, std::size_t docs, int threads,
                   const Interrupted& interrupted, Count count_document) {
    expect_whole(gathered);
    const std::size_t before = gathered.lengths.size();
    if (docs > kMostDocs - before) {
        throw std::length_error("bm25: more than 2^32 - 1 documents");
    }
    gathered.whole = false;
    const std::size_t blocks = (docs + kPieceDocs - 1) / kPieceDocs;
    while (gathered.shelves.size() < std::min(blocks, static_cast<std::size_t>(threads))) {
        gathered.shelves.emplace_back();
    }
    gathered.lengths.resize(before + docs);
    gathered.most_counts.resize(before + docs);
    const std::size_t first_piece = gathered.pieces.size();
    gathered.pieces.resize(first_piece + blocks);
    parallel_for(blocks, threads, interrupted, [&](std::size_t block, int worker) {
        Shelf& shelf = gathered.shelves[static_cast<std::size_t>(worker)];
        Piece& piece = gathered.pieces[first_piece + block];
        piece.shelf = static_cast<std::uint32_t>(worker);
        const std::size_t end = std::min(docs, (block + 1) * kPieceDocs);
        for (std::size_t doc = block * kPieceDocs; doc < end; ++doc) {
            shelf.table.begin_document();
            const std::size_t length = count_document(shelf, doc, worker);
            if (length > UINT32_MAX) {
                throw std::length_error("bm25: a document of more than 2^32 - 1 tokens");
            }
            gathered.lengths[before + doc] = static_cast<std::uint32_t>(length);
            gathered.most_counts[before + doc] = close_document(shelf, piece);
        }
        piece.stream.shrink_to_fit();
    });
    for (std::size_t doc = before; doc < before + docs; ++doc) {
        gathered.tokens += gathered.lengths[doc];
    }
    gathered.whole = true;
}

}  // namespace

BM25Builder::BM25Builder(const BM25Settings& settings) : gathered_(std::make_unique<Gathered>()) {
    detail::check_settings(settings);
    gathered_->settings = settings;
}

BM25Builder::BM25Builder(BM25Builder&&) noexcept = default;
BM25Builder& BM25Builder::operator=(BM25Builder&&) noexcept = default;
BM25Builder::~BM25Builder() = default;

void BM25Builder::add(const TokenLists& docs, int threads, const Interrupted& interrupted) {
    detail::bm25::check_token_lists(docs, "documents");
    add_documents(*gathered_, docs.size(), threads, interrupted,
                  [&](Shelf& shelf, std::size_t doc, int) {
                      const auto tokens = detail::bm25::list_of(docs, doc);
                      detail::metered(tokens.size(), [&](auto meter) {
                          for (const std::string_view token : tokens) {
                              meter.add(kTokenWeight);
                              shelf.table.count(token);
                          }
                      });
                      return tokens.size();
                  });
}

void BM25Builder::add_texts(std::size_t n, const TextOf& text_of, int threads,
                            const Interrupted& interrupted) {
    struct Reader {
        TokenStream stream;
        std::string scratch;
    };
    std::deque<std::unique_ptr<Reader>> readers(static_cast<std::size_t>(std::max(threads, 1)));
    add_documents(
        *gathered_, n, threads, interrupted, [&](Shelf& shelf, std::size_t doc, int worker) {
            auto& reader = readers[static_cast<std::size_t>(worker)];
            if (!reader) {
                reader = std::make_unique<Reader>();
            }
            std::size_t tokens = 0;
            reader->stream.start(text_of(doc, reader->scratch));
            for (auto some = reader->stream.next(); !some.empty(); some = reader->stream.next()) {
                tokens += some.size();
                for (const std::string_view token : some) {
                    shelf.table.count(token);
                }
            }
            return tokens;
        });
}

std::vector<std::string_view> BM25Builder::terms() const {
    std::vector<std::string_view> all;
    detail::Meter meter;
    for (const Shelf& shelf : gathered_->shelves) {
        for (std::size_t number = 0; number < shelf.table.size(); ++number) {
            meter.add(1);
            all.push_back(shelf.table.term(number));
        }
    }
    return all;
}

void BM25Builder::rename(std::span<const std::optional<std::string_view>> spellings) {
    expect_whole(*gathered_);
    const auto old = std::exchange(gathered_, std::make_unique<Gathered>());
    gathered_->settings = old->settings;
    gathered_->whole = false;
    std::vector<std::size_t> first;  // of each shelf's terms among the spellings
    std::size_t terms = 0;
    for (const Shelf& shelf : old->shelves) {
        first.push_back(terms);
        terms += shelf.table.size();
    }
    detail::expect_size("bm25", "spellings", spellings.size(), terms);
    gathered_->shelves.emplace_back();
    Shelf& shelf = gathered_->shelves.front();
    detail::Meter meter;
    for (const Piece& piece : old->pieces) {
        Piece& renamed = gathered_->pieces.emplace_back();
        const std::uint32_t* word = piece.stream.data();
        for (const std::uint32_t distinct : piece.distinct) {
            shelf.table.begin_document();
            std::uint64_t length = 0;
            for (std::uint32_t i = 0; i < distinct; ++i) {
                meter.add(kTokenWeight);
                const bool counted = (*word & detail::bm25::kCountFollows) != 0;
                const std::size_t term = *word++ & ~detail::bm25::kCountFollows;
                const std::uint32_t count = counted ? *word++ : 1;
                if (const auto& spelling = spellings[first[piece.shelf] + term]) {
                    shelf.table.count(*spelling, count);
                    length += count;
                }
            }
            gathered_->lengths.push_back(static_cast<std::uint32_t>(length));
            gathered_->most_counts.push_back(close_document(shelf, renamed));
            gathered_->tokens += length;
        }
    }
    gathered_->whole = true;
}

std::size_t BM25Builder::docs() const noexcept { return gathered_->lengths.size(); }

BM25Index BM25Builder::finish(const std::string& note, int threads,
                              const Interrupted& interrupted) {
    expect_whole(*gathered_);
    auto empty = std::make_unique<Gathered>();
    empty->settings = gathered_->settings;
    const auto gathered = std::exchange(gathered_, std::move(empty));
    auto built = std::make_unique<detail::bm25::IndexData>();
    detail::bm25::invert(*gathered, note, threads, interrupted, *built);
    return BM25Index(std::move(built));
}

BM25Index BM25Index::build(const TokenLists& docs, const BM25Settings& settings, int threads) {
    BM25Builder builder(settings);
    builder.add(docs, threads, {});
    return builder.finish({}, threads, {});
}

}  // namespace gnomon
