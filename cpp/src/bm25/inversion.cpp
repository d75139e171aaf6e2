#include "bm25/inversion.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "bm25/bound.hpp"
#include "bm25/term_hash.hpp"
#include "gnomon/steps.hpp"

namespace gnomon::detail::bm25 {

namespace {

constexpr std::size_t kTermWeight = 16;  // its bytes lie anywhere in memory

// All terms in ascending order of their bytes, and the number there of each shelf's terms.
struct Vocabulary {
    std::vector<std::string_view> terms;
    std::vector<std::vector<std::uint32_t>> numbers;
};

struct Keyed {
    std::uint64_t beginning;  // the first 8 bytes, the first one on top, zeros behind
    std::string_view term;
    std::uint32_t shelf;
    std::uint32_t number;
};

std::uint64_t beginning_of(std::string_view term) noexcept {
    std::uint64_t word = 0;
    if (!term.empty()) {
        std::memcpy(&word, term.data(), std::min(term.size(), sizeof(word)));
    }
    return __builtin_bswap64(word);
}

bool before(const Keyed& a, const Keyed& b) noexcept {
    return a.beginning != b.beginning ? a.beginning < b.beginning : a.term < b.term;
}

Vocabulary vocabulary_of(const Gathered& gathered) {
    std::vector<Keyed> keyed;
    Vocabulary vocabulary;
    for (std::size_t shelf = 0; shelf < gathered.shelves.size(); ++shelf) {
        const TermTable& table = gathered.shelves[shelf].table;
        resize_in_steps(vocabulary.numbers.emplace_back(), table.size());
        for (const auto [begin, end] : steps(table.size(), kTermWeight)) {
            for (std::size_t number = begin; number < end; ++number) {
                const std::string_view term = table.term(number);
                keyed.push_back({beginning_of(term), term, static_cast<std::uint32_t>(shelf),
                                 static_cast<std::uint32_t>(number)});
            }
        }
    }
    sort_in_steps(keyed.begin(), keyed.end(), before);
    for (const auto [begin, end] : steps(keyed.size(), kTermWeight)) {
        for (const Keyed& key : std::span(keyed).subspan(begin, end - begin)) {
            if (vocabulary.terms.empty() || vocabulary.terms.back() != key.term) {
                if (vocabulary.terms.size() == UINT32_MAX - 1) {
                    throw std::length_error("bm25: more than 2^32 - 2 distinct terms");
                }
                vocabulary.terms.push_back(key.term);
            }
            vocabulary.numbers[key.shelf][key.number] =
                static_cast<std::uint32_t>(vocabulary.terms.size() - 1);
        }
    }
    return vocabulary;
}

// A count that its posting can't hold.
struct Exception {
    std::uint64_t place;
    std::uint32_t count;
};

class Inversion {
  public:
    Inversion(const Gathered& gathered, const std::string& note, IndexData& built)
        : gathered_(gathered), built_(built), view_(built.view),
          vocabulary_(vocabulary_of(gathered)) {
        plan(note);
    }

    void run(int threads, const Interrupted& interrupted) {
        const auto ranges = cut_terms(static_cast<std::size_t>(std::max(threads, 1)));
        std::vector<std::vector<Exception>> exceptions(ranges.size() - 1);
        parallel_for(exceptions.size(), threads, interrupted, [&](std::size_t range, int) {
            fill(ranges[range], ranges[range + 1], exceptions[range]);
        });
        write_exceptions(exceptions);
        constexpr std::size_t kTermsABlock = 4096;
        const std::size_t blocks = (view_.shape.terms + kTermsABlock - 1) / kTermsABlock;
        parallel_for(blocks, threads, interrupted, [&](std::size_t block, int) {
            const std::size_t end =
                std::min<std::size_t>(view_.shape.terms, (block + 1) * kTermsABlock);
            for (std::size_t term = block * kTermsABlock; term < end; ++term) {
                find_tops(term);
            }
        });
    }

  private:
    template <typename T>
    T* writable(const FilePart& part) noexcept {
        return reinterpret_cast<T*>(built_.built.data() + part.offset);
    }

    // Everything that doesn't need the postings.
    void plan(const std::string& note) {
        IndexShape& shape = view_.shape;
        shape.settings = gathered_.settings;
        shape.docs = gathered_.lengths.size();
        shape.tokens = gathered_.tokens;
        shape.terms = vocabulary_.terms.size();
        shape.note_bytes = note.size();
        shape.slots = std::bit_ceil(2 * shape.terms);
        for (const std::string_view term : vocabulary_.terms) {
            shape.term_bytes += term.size();
        }
        plan_lists();
        shape.top_part = largest_part();
        const auto parts = parts_of(shape);
        if (!parts) {
            throw std::length_error("bm25: the index is larger than 2^62 bytes");
        }
        view_.parts = *parts;
        built_.built = Buffer(parts->size);
        if (parts->size > 0) {
            fill_in_steps(std::span(built_.built.data(), parts->size), {});
        }
        view_.data = built_.built.data();
        copy(note.data(), note.size(), parts->note);
        copy(gathered_.lengths.data(), shape.docs * sizeof(std::uint32_t), parts->lengths);
        copy(entries_.data(), entries_.size() * sizeof(TermEntry), parts->terms);
        write_vocabulary();
    }

    void copy(const void* from, std::size_t bytes, const FilePart& to) {
        if (bytes > 0) {
            for (const auto [begin, end] : steps(bytes)) {
                std::memcpy(writable<unsigned char>(to) + begin,
                            static_cast<const unsigned char*>(from) + begin, end - begin);
            }
        }
    }

    void plan_lists() {
        IndexShape& shape = view_.shape;
        std::vector<std::uint32_t> frequencies;
        resize_in_steps(frequencies, shape.terms);
        for (std::size_t shelf = 0; shelf < gathered_.shelves.size(); ++shelf) {
            const auto& own = gathered_.shelves[shelf].frequencies;
            for (const auto [begin, end] : steps(own.size())) {
                for (std::size_t number = begin; number < end; ++number) {
                    frequencies[vocabulary_.numbers[shelf][number]] += own[number];
                }
            }
        }
        resize_in_steps(entries_, shape.terms);
        for (const auto [begin, end] : steps(entries_.size())) {
            for (std::size_t term = begin; term < end; ++term) {
                plan_list(entries_[term], frequencies[term]);
            }
        }
        for (std::size_t shelf = 0; shelf < gathered_.shelves.size(); ++shelf) {
            for (const LargeCount& large : gathered_.shelves[shelf].large) {
                const TermEntry& entry = entries_[vocabulary_.numbers[shelf][large.term]];
                const bool is_long = shape.is_long(entry.frequency);
                shape.exceptions += large.count >= (is_long ? kLongCounts : kShortCounts) ? 1 : 0;
            }
        }
    }

    void plan_list(TermEntry& entry, std::uint32_t frequency) {
        IndexShape& shape = view_.shape;
        entry = {};
        entry.frequency = frequency;
        if (shape.is_long(frequency)) {
            entry.start = shape.long_postings;
            entry.directory = static_cast<std::uint32_t>(shape.long_terms++);
            shape.long_postings += frequency;
        } else {
            entry.start = shape.short_postings;
            shape.short_postings += frequency;
        }
    }

    double largest_part() const {
        const TermPart part(view_.shape.settings, view_.shape.docs, view_.shape.tokens);
        double largest = 0.0;
        for (const auto [begin, end] : steps(gathered_.lengths.size())) {
            for (std::size_t doc = begin; doc < end; ++doc) {
                if (gathered_.lengths[doc] > 0) {
                    largest = std::max(largest, part(gathered_.most_counts[doc],
                                                     part.norm_of(gathered_.lengths[doc])));
                }
            }
        }
        return largest;
    }

    void write_vocabulary() {
        auto* offsets = writable<std::uint64_t>(view_.parts.term_offsets);
        auto* bytes = writable<char>(view_.parts.term_bytes);
        auto* slots = writable<std::uint32_t>(view_.parts.slots);
        fill_in_steps(std::span(slots, view_.shape.slots), kFreeSlot);
        const std::uint64_t mask = view_.shape.slots - 1;
        std::uint64_t written = 0;
        for (const auto [begin, end] : steps(vocabulary_.terms.size(), kTermWeight)) {
            for (std::size_t number = begin; number < end; ++number) {
                const std::string_view term = vocabulary_.terms[number];
                std::copy(term.begin(), term.end(), bytes + written);
                written += term.size();
                offsets[number + 1] = written;
                std::uint64_t at = term_hash(term) & mask;
                while (slots[at] != kFreeSlot) {
                    at = (at + 1) & mask;
                }
                slots[at] = static_cast<std::uint32_t>(number);
            }
        }
    }

    // Ends of ranges of terms with about as many postings each.
    std::vector<std::size_t> cut_terms(std::size_t ranges) const {
        const std::uint64_t all = view_.shape.short_postings + view_.shape.long_postings;
        std::vector<std::size_t> cuts{0};
        std::uint64_t done = 0;
        for (std::size_t term = 0; term < entries_.size(); ++term) {
            if (done >= all / ranges * cuts.size() && cuts.size() < ranges && done > 0) {
                cuts.push_back(term);
            }
            done += entries_[term].frequency;
        }
        cuts.push_back(entries_.size());
        return cuts;
    }

    // Writes the postings of terms [first, last): each range has its own thread, and each thread
    // passes over all documents.
    void fill(std::size_t first, std::size_t last, std::vector<Exception>& exceptions);

    void close_window(std::size_t first, std::size_t last, std::size_t window,
                      const std::vector<std::uint64_t>& next) {
        auto* ends = writable<std::uint32_t>(view_.parts.window_ends);
        const std::size_t windows = view_.shape.windows();
        for (std::size_t term = first; term < last; ++term) {
            const TermEntry& entry = entries_[term];
            if (view_.shape.is_long(entry.frequency)) {
                ends[entry.directory * windows + window] =
                    static_cast<std::uint32_t>((next[term - first] >> 1U) - entry.start);
            }
        }
    }

    void write_exceptions(std::vector<std::vector<Exception>>& found) {
        std::vector<Exception> all;
        for (auto& list : found) {
            all.insert(all.end(), list.begin(), list.end());
        }
        sort_in_steps(all.begin(), all.end(),
                      [](const Exception& a, const Exception& b) { return a.place < b.place; });
        auto* places = writable<std::uint64_t>(view_.parts.exception_places);
        auto* counts = writable<std::uint32_t>(view_.parts.exception_counts);
        for (std::size_t i = 0; i < all.size(); ++i) {
            places[i] = all[i].place;
            counts[i] = all[i].count;
        }
    }

    void find_tops(std::size_t term);

    const Gathered& gathered_;
    IndexData& built_;
    IndexView& view_;
    Vocabulary vocabulary_;
    std::vector<TermEntry> entries_;
};

void Inversion::fill(std::size_t first, std::size_t last, std::vector<Exception>& exceptions) {
    const IndexShape& shape = view_.shape;
    const TermPart part(shape.settings, shape.docs, shape.tokens);
    const double scale = quantum_scale(shape.top_part);
    auto* short_rows = writable<std::uint32_t>(view_.parts.short_rows);
    auto* short_parts = writable<std::uint16_t>(view_.parts.short_parts);
    auto* short_counts = writable<std::uint8_t>(view_.parts.short_counts);
    auto* long_places = writable<std::uint16_t>(view_.parts.long_places);
    auto* long_parts = writable<std::uint16_t>(view_.parts.long_parts);
    // Where a term's next posting goes, times 2, plus 1 for a long list.
    std::vector<std::uint64_t> next(last - first);
    for (std::size_t term = first; term < last; ++term) {
        next[term - first] =
            entries_[term].start << 1U | (shape.is_long(entries_[term].frequency) ? 1U : 0U);
    }
    std::size_t row = 0;
    Meter meter;
    for (const Piece& piece : gathered_.pieces) {
        const auto& numbers = vocabulary_.numbers[piece.shelf];
        const std::uint32_t* word = piece.stream.data();
        for (const std::uint32_t distinct : piece.distinct) {
            const double norm = distinct == 0 ? 1.0 : part.norm_of(gathered_.lengths[row]);
            const std::uint16_t part_of_one = quantised(part(1, norm), scale);
            meter.add(distinct);
            for (std::uint32_t i = 0; i < distinct; ++i) {
                const bool counted = (*word & kCountFollows) != 0;
                const std::size_t term = numbers[*word++ & ~kCountFollows];
                const std::uint32_t count = counted ? *word++ : 1;
                if (term - first >= last - first) {
                    continue;
                }
                const std::uint64_t place = next[term - first] >> 1U;
                const bool is_long = (next[term - first] & 1U) != 0;
                next[term - first] += 2;
                const std::uint16_t units =
                    count == 1 ? part_of_one : quantised(part(count, norm), scale);
                if (is_long) {
                    const std::uint32_t held = count < kLongCounts ? count : 0;
                    long_places[place] =
                        static_cast<std::uint16_t>((row & (kWindowRows - 1)) << kCountBits | held);
                    long_parts[place] = units;
                    if (held == 0) {
                        exceptions.push_back({shape.short_postings + place, count});
                    }
                } else {
                    const std::uint32_t held = count < kShortCounts ? count : 0;
                    short_rows[place] = static_cast<std::uint32_t>(row);
                    short_parts[place] = units;
                    short_counts[place] = static_cast<std::uint8_t>(held);
                    if (held == 0) {
                        exceptions.push_back({place, count});
                    }
                }
            }
            ++row;
            if (row % kWindowRows == 0 || row == shape.docs) {
                close_window(first, last, (row - 1) / kWindowRows, next);
            }
        }
    }
}

void Inversion::find_tops(std::size_t term) {
    TermEntry& entry = writable<TermEntry>(view_.parts.terms)[term];
    const bool is_long = view_.shape.is_long(entry.frequency);
    const std::uint16_t* parts = (is_long ? view_.long_parts() : view_.short_parts()) + entry.start;
    entry.top = *std::max_element(parts, parts + entry.frequency);
    std::vector<std::uint16_t> sorted;
    for (std::size_t i = kBestRanks.size(); i-- > 0;) {
        if (entry.frequency < kBestRanks[i]) {
            continue;
        }
        if (sorted.empty()) {
            sorted.assign(parts, parts + entry.frequency);
        }
        const auto rank = sorted.begin() + static_cast<std::ptrdiff_t>(kBestRanks[i]) - 1;
        select_in_steps(sorted.begin(), rank, sorted.end(), std::greater<>());
        entry.best[i] = *rank;
        sorted.resize(kBestRanks[i]);
    }
    if (!is_long) {
        return;
    }
    const std::size_t windows = view_.shape.windows();
    const std::uint32_t* ends = view_.window_ends() + entry.directory * windows;
    auto* tops = writable<std::uint16_t>(view_.parts.window_tops) + entry.directory * windows;
    std::uint32_t begin = 0;
    for (std::size_t window = 0; window < windows; ++window) {
        std::uint16_t top = 0;
        for (std::uint32_t i = begin; i < ends[window]; ++i) {
            top = std::max(top, parts[i]);
        }
        tops[window] = top;
        begin = ends[window];
    }
}

}  // namespace

void invert(const Gathered& gathered, const std::string& note, int threads,
            const Interrupted& interrupted, IndexData& built) {
    const Interruptible scope(interrupted);
    Inversion(gathered, note, built).run(threads, interrupted);
}

}  // namespace gnomon::detail::bm25
