// The prepared index: codes, norms and the caller's rows.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "cosine/buffer.hpp"
#include "cosine/coder.hpp"
#include "cosine/index_reader.hpp"
#include "cosine/index_writer.hpp"
#include "cosine/search.hpp"
#include "gnomon/cosine.hpp"
#include "gnomon/steps.hpp"
#include "score/rows.hpp"
#include "score/score.hpp"

namespace gnomon {

namespace {

constexpr std::size_t kBlockTiles = 64;

}  // namespace

struct VectorIndex::Prepared {
    detail::PreparedRows view;
    std::unique_ptr<detail::IndexReader> file;  // of an opened index; else the parts below
    detail::Buffer codes;
    std::vector<float> scale;
    std::vector<float> slack;
    std::vector<double> norms;
    std::size_t zero_rows = 0;
};

VectorIndex::VectorIndex(const MatrixView& docs, int threads, const Interrupted& interrupted)
    : prepared_(std::make_unique<Prepared>()) {
    using namespace detail;
    const Interruptible scope(interrupted);
    Prepared& built = *prepared_;
    const Isa isa = chosen_isa();
    const RowSource source(docs);
    const bool rotated = rotation_pays(isa, source);
    const RowCoder coder(isa, docs.cols, rotated);
    const ScoreKernel& kernel = score_kernel(isa);
    const std::size_t tiles = tiles_of(docs.rows);
    const std::size_t tile_bytes = coder.groups() * kTileGroupBytes;
    built.codes = Buffer(tiles * tile_bytes);
    resize_in_steps(built.scale, tiles * kTileRows);
    resize_in_steps(built.slack, tiles * kTileRows);
    resize_in_steps(built.norms, docs.rows);

    std::atomic<std::size_t> zero_rows{0};
    std::atomic<bool> not_finite{false};
    parallel_for((tiles + kBlockTiles - 1) / kBlockTiles, threads, interrupted,
                 [&](std::size_t block, int) {
                     RowCoder::Scratch scratch(coder);
                     Meter meter;
                     const std::size_t end = std::min((block + 1) * kBlockTiles, tiles);
                     for (std::size_t t = block * kBlockTiles; t < end; ++t) {
                         const std::size_t first = t * kTileRows;
                         const std::size_t rows = std::min(kTileRows, docs.rows - first);
                         const RowKind worst = coder.code_tile(
                             source, first, rows, scratch, built.codes.data() + t * tile_bytes,
                             built.scale.data() + first, built.slack.data() + first);
                         if (worst == RowKind::not_finite) {
                             not_finite = true;
                         }
                         for (std::size_t row = first; row < first + rows; ++row) {
                             const float* x = row_f32(docs, row, scratch.converted.data(), isa);
                             built.norms[row] = norm(kernel, x, docs.cols);
                             meter.add(docs.cols);
                             zero_rows += built.norms[row] == 0.0 ? 1U : 0U;
                         }
                     }
                 });
    if (not_finite) {
        Meter meter;
        for (std::size_t row = 0; row < docs.rows; ++row) {
            meter.add(docs.cols);
            if (!row_is_finite(docs, row)) {
                throw NonFiniteError("docs", row);
            }
        }
    }
    built.zero_rows = zero_rows;
    built.view = {
        docs,
        {built.codes.data(), built.scale.data(), built.slack.data(), tiles, coder.groups()},
        built.norms.data(),
        rotated,
        nullptr};
}

VectorIndex::VectorIndex(std::unique_ptr<Prepared> prepared) : prepared_(std::move(prepared)) {}

VectorIndex VectorIndex::open(int descriptor, const std::string& name) {
    auto opened = std::make_unique<Prepared>();
    opened->file = std::make_unique<detail::IndexReader>(descriptor, name);
    opened->view = opened->file->prepared();
    opened->zero_rows = opened->file->zero_rows();
    return VectorIndex(std::move(opened));
}

void VectorIndex::save(int descriptor, const Interrupted& interrupted) const {
    const Interruptible scope(interrupted);
    verify(1, interrupted);
    detail::write_index(descriptor, prepared_->view, prepared_->zero_rows, interrupted);
}

void VectorIndex::verify(int threads, const Interrupted& interrupted) const {
    if (prepared_->file) {
        prepared_->file->verify(threads, interrupted);
    }
}

VectorIndex::VectorIndex(VectorIndex&&) noexcept = default;
VectorIndex& VectorIndex::operator=(VectorIndex&&) noexcept = default;
VectorIndex::~VectorIndex() = default;

std::size_t VectorIndex::rows() const noexcept { return prepared_->view.docs.rows; }
std::size_t VectorIndex::cols() const noexcept { return prepared_->view.docs.cols; }
std::size_t VectorIndex::zero_rows() const noexcept { return prepared_->zero_rows; }

std::uint64_t VectorIndex::bytes() const noexcept {
    const detail::CodeTiles& tiles = prepared_->view.tiles;
    const std::uint64_t padded = std::uint64_t{tiles.tiles} * detail::kTileRows;
    return std::uint64_t{tiles.tiles} * tiles.groups * detail::kTileGroupBytes +
           padded * (sizeof(*tiles.scale) + sizeof(*tiles.slack)) +
           std::uint64_t{rows()} * sizeof(*prepared_->view.norms);
}

SearchResult VectorIndex::search(std::span<const SearchRequest> requests,
                                 const SearchOptions& options) const {
    SearchResult result = detail::search(prepared_->view.docs, &prepared_->view, requests, options);
    result.zero_rows = prepared_->zero_rows;
    return result;
}

}  // namespace gnomon
