// The public index: opening, saving, and searching by the cheaper way.
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "bm25/bound.hpp"
#include "bm25/exhaustive.hpp"
#include "bm25/file.hpp"
#include "bm25/index_data.hpp"
#include "bm25/screen.hpp"
#include "bm25/token_lists.hpp"
#include "gnomon/bm25.hpp"
#include "gnomon/isa.hpp"
#include "gnomon/steps.hpp"
#include "gnomon/text.hpp"
#include "threads/float_environment.hpp"

namespace gnomon {

using detail::bm25::IndexData;

namespace {

void look_into(IndexData& data, const unsigned char* file, std::uint64_t size,
               const std::string& name) {
    data.view = detail::named(name, [&] { return detail::bm25::view_of_file(file, size); });
    data.guard = std::make_unique<detail::bm25::FileGuard>(data.view,
                                                           detail::bm25::checksums_of(file), name);
}

void write_all(int descriptor, const unsigned char* bytes, std::size_t size,
               const Interrupted& interrupted) {
    constexpr std::size_t kChunk = std::size_t{16} << 20U;
    while (size > 0) {
        if (interrupted && interrupted()) {
            throw Interruption();
        }
        const ssize_t written = write(descriptor, bytes, std::min(size, kChunk));
        if (written < 0 && errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), "writing the index");
        }
        const auto done = static_cast<std::size_t>(std::max<ssize_t>(written, 0));
        bytes += done;
        size -= done;
    }
}

}  // namespace

BM25Index::BM25Index(std::unique_ptr<IndexData> data) : data_(std::move(data)) {}
BM25Index::BM25Index(BM25Index&&) noexcept = default;
BM25Index& BM25Index::operator=(BM25Index&&) noexcept = default;
BM25Index::~BM25Index() = default;

BM25Index BM25Index::open(int descriptor, const std::string& name) {
    auto data = std::make_unique<IndexData>();
    data->file =
        detail::named(name, [&] { return std::make_unique<detail::MappedFile>(descriptor); });
    look_into(*data, data->file->data(), data->file->size(), name);
    return BM25Index(std::move(data));
}

BM25Index BM25Index::from_bytes(std::vector<unsigned char> bytes, const std::string& name) {
    auto data = std::make_unique<IndexData>();
    data->bytes = std::move(bytes);
    look_into(*data, data->bytes.data(), data->bytes.size(), name);
    return BM25Index(std::move(data));
}

std::vector<unsigned char> BM25Index::bytes() const {
    std::vector<unsigned char> all = detail::bm25::front_of(data_->view);
    all.insert(all.end(), data_->view.data, data_->view.data + data_->view.parts.size);
    return all;
}

void BM25Index::save(int descriptor, const Interrupted& interrupted) const {
    const Interruptible scope(interrupted);
    const std::vector<unsigned char> front = detail::bm25::front_of(data_->view);
    write_all(descriptor, front.data(), front.size(), interrupted);
    write_all(descriptor, data_->view.data, data_->view.parts.size, interrupted);
}

void BM25Index::verify(int threads, const Interrupted& interrupted) const {
    if (data_->guard) {
        data_->guard->verify(threads, interrupted);
    }
}

std::size_t BM25Index::docs() const noexcept { return data_->view.shape.docs; }
std::size_t BM25Index::vocabulary_size() const noexcept { return data_->view.shape.terms; }
std::uint64_t BM25Index::tokens() const noexcept { return data_->view.shape.tokens; }
std::uint64_t BM25Index::postings() const noexcept {
    return data_->view.shape.short_postings + data_->view.shape.long_postings;
}
const BM25Settings& BM25Index::settings() const noexcept { return data_->view.shape.settings; }

std::string_view BM25Index::note() const {
    if (data_->guard) {
        data_->guard->note();
    }
    return {data_->view.note(), data_->view.shape.note_bytes};
}

std::optional<std::size_t> BM25Index::term_id(std::string_view term) const {
    const std::uint32_t id = detail::bm25::find_term(*data_, term);
    return id == detail::bm25::kFreeSlot ? std::nullopt : std::optional<std::size_t>(id);
}

namespace {

void expect_below(std::size_t number, std::size_t end, const char* what) {
    if (number >= end) {
        throw std::invalid_argument(std::string("bm25: no ") + what + " " + std::to_string(number) +
                                    "; there are " + std::to_string(end));
    }
}

}  // namespace

std::string_view BM25Index::term(std::size_t id) const {
    expect_below(id, vocabulary_size(), "term");
    if (data_->guard) {
        data_->guard->spelling(id);
    }
    return data_->view.spelling(id);
}

std::size_t BM25Index::document_frequency(std::size_t id) const {
    expect_below(id, vocabulary_size(), "term");
    if (data_->guard) {
        data_->guard->list(id);
    }
    return data_->view.terms()[id].frequency;
}

std::size_t BM25Index::document_length(std::size_t row) const {
    expect_below(row, docs(), "document");
    if (data_->guard) {
        data_->guard->lengths();
    }
    return data_->view.lengths()[row];
}

namespace {

using detail::bm25::Admission;
using detail::bm25::Workspace;

void check_rows(std::span<const std::int64_t> rows, std::size_t docs, const char* what,
                bool distinct) {
    detail::Meter meter;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        meter.add(1);
        const bool ordered =
            i == 0 || rows[i - 1] < rows[i] || (!distinct && rows[i - 1] == rows[i]);
        if (rows[i] < 0 || static_cast<std::uint64_t>(rows[i]) >= docs || !ordered) {
            throw std::invalid_argument(std::string("bm25: ") + what + " must be rows below " +
                                        std::to_string(docs) + ", ascending");
        }
    }
}

void check_request(const BM25Request& request, std::size_t docs) {
    detail::bm25::check_token_lists(request.queries, "queries");
    if (request.k < 1) {
        throw std::invalid_argument("bm25: k is 0; it must be at least 1");
    }
    const auto offsets = request.exclude_offsets;
    const bool right = offsets.empty()
                           ? request.exclude_rows.empty()
                           : offsets.size() == request.queries.size() + 1 && offsets.front() == 0 &&
                                 offsets.back() == std::ssize(request.exclude_rows) &&
                                 std::is_sorted(offsets.begin(), offsets.end());
    if (!right) {
        throw std::invalid_argument("bm25: exclude_offsets don't fit the queries or exclude_rows");
    }
    for (std::size_t q = 0; q + 1 < offsets.size(); ++q) {
        const auto begin = static_cast<std::size_t>(offsets[q]);
        const auto end = static_cast<std::size_t>(offsets[q + 1]);
        check_rows(request.exclude_rows.subspan(begin, end - begin), docs, "excluded rows", false);
    }
    if (request.subset) {
        check_rows(*request.subset, docs, "the subset", true);
    }
}

std::vector<std::uint64_t> bits_of(std::span<const std::int64_t> rows, std::size_t docs) {
    std::vector<std::uint64_t> bits((docs + 63) / 64);
    detail::Meter meter;
    for (const std::int64_t row : rows) {
        meter.add(1);
        bits[static_cast<std::size_t>(row) / 64] |= std::uint64_t{1} << (row % 64);
    }
    return bits;
}

// Screening pays unless most of what it reads is a hit.
bool screens(const detail::bm25::Query& query, std::size_t k, BM25Strategy strategy) {
    if (strategy == BM25Strategy::exhaustive ||
        query.terms().size() > detail::bm25::kMostScreenedTerms) {
        return false;
    }
    return strategy == BM25Strategy::pruned || k < query.postings() / 4 || query.postings() < 1024;
}

// The queries of one call.
class Search {
  public:
    Search(const IndexData& data, const BM25Request& request, const BM25Options& options)
        : data_(data), request_(request), options_(options),
          kernels_(detail::bm25::screen_kernels(chosen_isa())),
          k_(std::min<std::size_t>(request.k, data.view.shape.docs)) {
        if (request.subset) {
            subset_ = bits_of(*request.subset, data.view.shape.docs);
        }
    }

    HitLists run(BM25Counters* counters) {
        constexpr std::size_t kQueriesABlock = 16;
        const std::size_t n = request_.queries.size();
        const std::size_t blocks = (n + kQueriesABlock - 1) / kQueriesABlock;
        blocks_.resize(blocks);
        HitLists lists;
        lists.offsets.assign(n + 1, 0);
        const bool none = request_.subset && request_.subset->empty();
        if (none || n == 0) {
            return lists;
        }
        std::vector<std::unique_ptr<Workspace>> workspaces(
            std::min(blocks, static_cast<std::size_t>(std::max(options_.threads, 1))));
        parallel_for(blocks, options_.threads, options_.interrupted,
                     [&](std::size_t block, int worker) {
                         auto& workspace = workspaces[static_cast<std::size_t>(worker)];
                         if (!workspace) {
                             workspace = data_.workspaces.take();
                         }
                         const std::size_t end = std::min(n, (block + 1) * kQueriesABlock);
                         for (std::size_t q = block * kQueriesABlock; q < end; ++q) {
                             answer(q, *workspace, blocks_[block]);
                             lists.offsets[q + 1] = std::ssize(workspace->hits);
                         }
                     });
        for (auto& workspace : workspaces) {
            if (workspace) {
                data_.workspaces.give_back(std::move(workspace));
            }
        }
        gather(lists, counters);
        return lists;
    }

  private:
    struct Block {
        std::vector<std::int64_t> ids;
        std::vector<float> scores;
        BM25Counters counters;
    };

    void answer(std::size_t q, Workspace& workspace, Block& block) const {
        workspace.query.set(data_, detail::bm25::list_of(request_.queries, q));
        block.counters.postings += workspace.query.postings();
        const Admission admission(subset_, excluded(q));
        if (screens(workspace.query, k_, options_.strategy)) {
            screened_top_k(data_, kernels_, admission, k_, workspace, block.counters);
        } else {
            exhaustive_top_k(data_, admission, k_, workspace, block.counters);
        }
        const std::size_t before = block.ids.size();
        const std::span<const Hit> hits = workspace.hits;
        detail::resize_in_steps(block.ids, before + hits.size());
        detail::resize_in_steps(block.scores, before + hits.size());
        for (const auto [begin, end] : detail::steps(hits.size())) {
            for (std::size_t i = begin; i < end; ++i) {
                block.ids[before + i] = hits[i].row;
                block.scores[before + i] = hits[i].score;
            }
        }
    }

    std::span<const std::int64_t> excluded(std::size_t q) const noexcept {
        if (request_.exclude_offsets.empty()) {
            return {};
        }
        const auto begin = static_cast<std::size_t>(request_.exclude_offsets[q]);
        const auto end = static_cast<std::size_t>(request_.exclude_offsets[q + 1]);
        return request_.exclude_rows.subspan(begin, end - begin);
    }

    void gather(HitLists& lists, BM25Counters* counters) {
        for (std::size_t q = 1; q < lists.offsets.size(); ++q) {
            lists.offsets[q] += lists.offsets[q - 1];
        }
        if (blocks_.size() == 1) {
            lists.ids = std::move(blocks_[0].ids);
            lists.scores = std::move(blocks_[0].scores);
        }
        lists.ids.reserve(static_cast<std::size_t>(lists.offsets.back()));
        lists.scores.reserve(static_cast<std::size_t>(lists.offsets.back()));
        for (const Block& block : blocks_) {
            if (blocks_.size() > 1) {
                detail::append_in_steps(lists.ids, block.ids);
                detail::append_in_steps(lists.scores, block.scores);
            }
            if (counters != nullptr) {
                counters->postings += block.counters.postings;
                counters->postings_screened += block.counters.postings_screened;
                counters->looked_up += block.counters.looked_up;
                counters->rescored += block.counters.rescored;
            }
        }
    }

    const IndexData& data_;
    const BM25Request& request_;
    const BM25Options& options_;
    const detail::bm25::ScreenKernels& kernels_;
    std::size_t k_;
    std::vector<std::uint64_t> subset_;
    std::vector<Block> blocks_;
};

}  // namespace

namespace {

constexpr std::size_t kTextWeight = 64;  // of a text without words

}  // namespace

HitLists BM25Index::search(const BM25Request& request, const BM25Options& options,
                           BM25Counters* counters) const {
    const Interruptible scope(options.interrupted);
    check_request(request, docs());
    return Search(*data_, request, options).run(counters);
}

HitLists BM25Index::search_texts(std::span<const std::string_view> texts,
                                 const BM25Request& request, const BM25Options& options,
                                 BM25Counters* counters) const {
    std::vector<char> bytes;
    std::vector<std::size_t> ends;
    std::vector<std::uint64_t> offsets{0};
    TokenStream stream;
    const Interruptible scope(options.interrupted);
    detail::Meter meter;
    for (const std::string_view text : texts) {
        meter.add(kTextWeight);
        for_each_token(stream, text, [&](std::string_view token) {
            bytes.insert(bytes.end(), token.begin(), token.end());
            ends.push_back(bytes.size());
        });
        offsets.push_back(ends.size());
    }
    std::vector<std::string_view> tokens;
    detail::resize_in_steps(tokens, ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) {
        meter.add(1);
        const std::size_t begin = i == 0 ? 0 : ends[i - 1];
        tokens[i] = {bytes.data() + begin, ends[i] - begin};
    }
    BM25Request cut = request;
    cut.queries = {tokens, offsets};
    return search(cut, options, counters);
}

void BM25Index::scores(std::span<const std::string_view> query, std::span<float> out,
                       const Interrupted& interrupted) const {
    detail::expect_size("bm25", "out", out.size(), docs());
    const Interruptible scope(interrupted);
    const detail::FloatEnvironment environment;
    detail::bm25::Query known;
    known.set(*data_, query);
    detail::fill_in_steps(out, 0.0F);
    std::vector<double> exact;
    score_windows(*data_, known, exact,
                  [out](std::size_t first_row, std::span<const double> scores) {
                      for (std::size_t i = 0; i < scores.size(); ++i) {
                          out[first_row + i] = static_cast<float>(scores[i]);
                      }
                  });
}

}  // namespace gnomon
