#include "bm25/file_guard.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "bm25/bound.hpp"
#include "bm25/file.hpp"
#include "bm25/formula.hpp"
#include "bm25/term_hash.hpp"
#include "cosine/checksum.hpp"
#include "gnomon/index_file.hpp"
#include "gnomon/steps.hpp"

namespace gnomon::detail::bm25 {

namespace {

constexpr std::size_t kPostingWeight = 8;  // a count, a length and a bound are compared

}  // namespace

FileGuard::FileGuard(const IndexView& view, const std::uint64_t* checksums, std::string name)
    : view_(view), checksums_(checksums), name_(std::move(name)),
      checked_(checksum_blocks(view.parts.size)), accepted_(view.shape.terms) {}

void FileGuard::contradiction(const char* what) const {
    throw IndexFileError(name_ + " is damaged: " + what + "; build it again");
}

void FileGuard::check_block(std::uint64_t block) const {
    const std::uint64_t begin = block * kChecksumBlock;
    const std::uint64_t size = std::min<std::uint64_t>(kChecksumBlock, view_.parts.size - begin);
    if (checksum(view_.data + begin, size) != checksums_[block]) {
        throw IndexFileError(name_ + " is damaged: data bytes " + std::to_string(begin) + " to " +
                             std::to_string(begin + size - 1) +
                             " don't have their checksum; build it again");
    }
}

void FileGuard::touch(const FilePart& part, std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) {
        return;
    }
    const std::uint64_t last = (part.offset + end - 1) / kChecksumBlock;
    for (std::uint64_t block = (part.offset + begin) / kChecksumBlock; block <= last; ++block) {
        if (!checked_[block].load(std::memory_order_acquire)) {
            check_block(block);
            check_interruption();
            checked_[block].store(true, std::memory_order_release);
        }
    }
}

void FileGuard::lengths() {
    if (lengths_accepted_.load(std::memory_order_acquire)) {
        return;
    }
    touch_all(view_.parts.lengths);
    std::uint64_t tokens = 0;
    for (const auto [begin, end] : steps(view_.shape.docs)) {
        for (std::size_t row = begin; row < end; ++row) {
            tokens += view_.lengths()[row];
        }
    }
    if (tokens != view_.shape.tokens) {
        contradiction("the lengths of its documents don't sum up to its tokens");
    }
    lengths_accepted_.store(true, std::memory_order_release);
}

void FileGuard::slot(std::size_t number) {
    touch(view_.parts.slots, number * sizeof(std::uint32_t), (number + 1) * sizeof(std::uint32_t));
    const std::uint32_t term = view_.slots()[number];
    if (term != kFreeSlot && term >= view_.shape.terms) {
        contradiction("its vocabulary names a term that isn't there");
    }
}

void FileGuard::spelling(std::size_t term) {
    constexpr std::size_t kOffset = sizeof(std::uint64_t);
    touch(view_.parts.term_offsets, term * kOffset, (term + 2) * kOffset);
    const std::uint64_t begin = view_.term_offsets()[term];
    const std::uint64_t end = view_.term_offsets()[term + 1];
    if (begin > end || end > view_.shape.term_bytes) {
        contradiction("a term lies outside of its bytes");
    }
    touch(view_.parts.term_bytes, begin, end);
}

void FileGuard::exceptions() {
    if (!exceptions_accepted_.load(std::memory_order_acquire)) {
        touch_all(view_.parts.exception_places);
        touch_all(view_.parts.exception_counts);
        check_exceptions();
        exceptions_accepted_.store(true, std::memory_order_release);
    }
}

void FileGuard::check_exceptions() {
    const std::uint64_t* places = view_.exception_places();
    for (std::uint64_t i = 1; i < view_.shape.exceptions; ++i) {
        if (places[i - 1] >= places[i]) {
            contradiction("its exceptions are out of order");
        }
    }
}

void FileGuard::check_list(std::size_t term) {
    lengths();
    touch(view_.parts.terms, term * sizeof(TermEntry), (term + 1) * sizeof(TermEntry));
    const TermEntry& entry = view_.terms()[term];
    const bool is_long = view_.shape.is_long(entry.frequency);
    const std::uint64_t all = is_long ? view_.shape.long_postings : view_.shape.short_postings;
    if (entry.frequency == 0 || entry.start > all || entry.frequency > all - entry.start ||
        entry.directory >= (is_long ? view_.shape.long_terms : 1)) {
        contradiction("a list lies outside of its postings");
    }
    if (is_long) {
        check_long(entry);
    } else {
        check_short(entry);
    }
}

// `held` is what the posting says of its count, which it can say of counts below `holds`.
void FileGuard::check_posting(std::uint64_t row, std::uint32_t held, std::uint32_t holds,
                              std::uint64_t place, std::uint16_t part) const {
    if (row >= view_.shape.docs) {
        contradiction("a list names a document that isn't there");
    }
    const std::uint32_t count = held != 0 ? held : view_.exception(place);
    const std::uint32_t length = view_.lengths()[row];
    if (count == 0 || count > length || (held == 0 && count < holds)) {
        contradiction("a term's count doesn't fit its document");
    }
    const TermPart exact(view_.shape.settings, view_.shape.docs, view_.shape.tokens);
    const double value = exact(count, exact.norm_of(length));
    if (!(value <= view_.shape.top_part) ||
        part != quantised(value, quantum_scale(view_.shape.top_part))) {
        contradiction("a posting's bound isn't that of its count");
    }
}

void FileGuard::check_short(const TermEntry& entry) {
    const std::uint64_t begin = entry.start;
    const std::uint64_t end = begin + entry.frequency;
    touch(view_.parts.short_rows, begin * 4, end * 4);
    touch(view_.parts.short_parts, begin * 2, end * 2);
    touch(view_.parts.short_counts, begin, end);
    std::uint64_t least = 0;
    Meter meter;
    for (std::uint64_t place = begin; place < end; ++place) {
        meter.add(kPostingWeight);
        const std::uint32_t row = view_.short_rows()[place];
        if (row < least) {
            contradiction("a list isn't in the order of its documents");
        }
        least = std::uint64_t{row} + 1;
        const std::uint32_t held = view_.short_counts()[place];
        if (held == 0) {
            exceptions();
        }
        check_posting(row, held, kShortCounts, place, view_.short_parts()[place]);
    }
    check_tops(entry, view_.short_parts() + begin);
}

void FileGuard::check_long(const TermEntry& entry) {
    const std::uint64_t begin = entry.start;
    const std::uint64_t end = begin + entry.frequency;
    const std::uint64_t windows = view_.shape.windows();
    const std::uint64_t directory = entry.directory * windows;
    touch(view_.parts.long_places, begin * 2, end * 2);
    touch(view_.parts.long_parts, begin * 2, end * 2);
    touch(view_.parts.window_ends, directory * 4, (directory + windows) * 4);
    touch(view_.parts.window_tops, directory * 2, (directory + windows) * 2);
    const std::uint32_t* ends = view_.window_ends() + directory;
    const std::uint16_t* parts = view_.long_parts() + begin;
    std::uint32_t at = 0;
    Meter meter;
    for (std::uint64_t window = 0; window < windows; ++window) {
        if (ends[window] < at || ends[window] > entry.frequency) {
            contradiction("a list's directory is out of order");
        }
        std::uint32_t least = 0;
        std::uint16_t top = 0;
        for (; at < ends[window]; ++at) {
            const std::uint32_t posting = view_.long_places()[begin + at];
            const std::uint32_t place = posting >> kCountBits;
            if (place < least) {
                contradiction("a list isn't in the order of its documents");
            }
            least = place + 1;
            meter.add(kPostingWeight);
            const std::uint32_t held = posting & (kLongCounts - 1);
            if (held == 0) {
                exceptions();
            }
            check_posting(window * kWindowRows + place, held, kLongCounts,
                          view_.shape.short_postings + begin + at, parts[at]);
            top = std::max(top, parts[at]);
        }
        if (view_.window_tops()[directory + window] != top) {
            contradiction("a window's largest bound isn't among its postings");
        }
    }
    if (at != entry.frequency) {
        contradiction("a list's directory doesn't end with it");
    }
    check_tops(entry, parts);
}

void FileGuard::check_tops(const TermEntry& entry, const std::uint16_t* parts) {
    const std::uint16_t* end = parts + entry.frequency;
    bool right = entry.top == *std::max_element(parts, end);
    for (std::size_t i = 0; i < kBestRanks.size(); ++i) {
        const std::uint32_t best = entry.best[i];
        const auto rank = static_cast<std::ptrdiff_t>(kBestRanks[i]);
        if (entry.frequency < kBestRanks[i]) {
            right &= best == 0;
            continue;
        }
        right &= std::count_if(parts, end, [best](std::uint32_t p) { return p > best; }) < rank &&
                 std::count_if(parts, end, [best](std::uint32_t p) { return p >= best; }) >= rank;
    }
    if (!right) {
        contradiction("a list's largest bounds aren't among its postings");
    }
}

void FileGuard::verify(int threads, const Interrupted& interrupted) {
    const Interruptible scope(interrupted);
    parallel_for(checked_.size(), threads, interrupted,
                 [&](std::size_t block, int) { check_block(block); });
    lengths();
    Meter meter;
    for (std::uint64_t number = 0; number < view_.shape.slots; ++number) {
        meter.add(1);
        slot(number);
    }
    constexpr std::size_t kTermsABlock = 1024;
    const std::size_t terms = view_.shape.terms;
    parallel_for((terms + kTermsABlock - 1) / kTermsABlock, threads, interrupted,
                 [&](std::size_t block, int) {
                     const std::size_t end = std::min(terms, (block + 1) * kTermsABlock);
                     for (std::size_t term = block * kTermsABlock; term < end; ++term) {
                         check_vocabulary(term);
                         check_list(term);
                     }
                 });
}

void FileGuard::check_vocabulary(std::size_t term) {
    spelling(term);
    const std::string_view own = view_.spelling(term);
    if (term > 0) {
        spelling(term - 1);
        if (view_.spelling(term - 1) >= own) {
            contradiction("its terms are out of order");
        }
    }
    const std::uint64_t mask = view_.shape.slots - 1;
    std::uint64_t at = term_hash(own) & mask;
    for (std::uint64_t tries = 0; view_.slots()[at] != term; ++tries, at = (at + 1) & mask) {
        if (view_.slots()[at] == kFreeSlot || tries > mask) {
            contradiction("a term can't be found in its vocabulary");
        }
    }
}

}  // namespace gnomon::detail::bm25
