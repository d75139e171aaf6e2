// BM25 over token lists: an inverted index, exact top-k, all scores, a file that opens by map.
//
// Formula (Kamphuis, de Vries, Boytsov, Lin 2020, "Which BM25 do you mean?"): with N documents,
// df those that hold term t, tf its count in document d, dl the number of tokens of d (0 allowed),
// avgdl their mean over all N, B = (1 - b) + b * dl / avgdl, K = k1 * B and c = tf / B,
//   score(q, d) = sum over the distinct terms t of q that d holds of (qtf * idf(t)) * part(tf, dl)
//   lucene      idf = ln(1 + (N - df + 0.5) / (df + 0.5))           part = tf / (tf + K)
//   robertson   idf = max(0, ln((N - df + 0.5) / (df + 0.5)))       part = tf / (tf + K)
//   atire       idf = ln(N / df)                     part = (k1 + 1) * tf / (tf + K)
//   bm25+       idf = ln((N + 1) / df)               part = (k1 + 1) * tf / (tf + K) + delta
//   bm25l       idf = ln((N + 1) / (df + 0.5))       part = (k1 + 1) * (c + delta) / (k1 + c +
//   delta)
// where qtf is how often q holds t: repeated words count linearly. Everything is float64, in the
// order written, ln is ours (bm25/logarithm.hpp); terms are added in ascending order of their
// bytes, the sum is rounded once to float32. So the score doesn't depend on the order of the query,
// and pruned and exhaustive search give the same bits.
// Hits: documents with a score above 0, by score descending, then row ascending. A document that
// holds no term of the query scores 0.0 and is no hit, with every variant. Edge cases: an index of
// no documents, empty documents, empty queries and unknown terms are all fine and give no hits; k
// may exceed the number of hits; row numbers never shift. Any bytes are a term, none too.
// Preconditions: see BM25Settings and BM25Request; a breach throws std::invalid_argument.
// docs/kernels/bm25.md derives the bounds by which documents are skipped and describes the file.
// Complexity of a query: O(postings of its terms) integer operations at most, O(k) float64 ones
// and usually far fewer; extra memory O(threads x (window + k)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gnomon/hits.hpp"
#include "gnomon/index_file.hpp"
#include "gnomon/threads.hpp"

namespace gnomon::detail::bm25 {
struct Gathered;
struct IndexData;
}  // namespace gnomon::detail::bm25

namespace gnomon {

enum class BM25Variant : std::uint8_t { lucene, robertson, atire, bm25_plus, bm25_l };

struct BM25Settings {
    BM25Variant variant = BM25Variant::lucene;
    double k1 = 1.2;     // from 0 to 1e6
    double b = 0.75;     // from 0 to 1
    double delta = 0.0;  // from 0 to 1e6; used by bm25_plus and bm25_l only
};

// Lists of tokens one after the other: list i is tokens[offsets[i] .. offsets[i + 1]). Offsets
// start at 0, never fall and end at tokens.size(); without any offset there are no lists. The bytes
// must stay where they are for the call.
struct TokenLists {
    std::span<const std::string_view> tokens;
    std::span<const std::uint64_t> offsets;

    std::size_t size() const noexcept { return offsets.empty() ? 0 : offsets.size() - 1; }
};

// How a search goes about it; the answer is the same. `pruned` screens with integer bounds and
// skips what they exclude, `exhaustive` scores every document in float64, `automatic` is the
// cheaper one.
enum class BM25Strategy : std::uint8_t { automatic, pruned, exhaustive };

struct BM25Request {
    TokenLists queries;
    std::size_t k = 0;  // at least 1
    // Rows that are no hits of query q: exclude_rows[exclude_offsets[q] .. exclude_offsets[q + 1]),
    // ascending. Both empty when nothing is excluded.
    std::span<const std::int64_t> exclude_offsets;
    std::span<const std::int64_t> exclude_rows;
    // The only rows that may be hits, ascending and distinct. They change no score.
    std::optional<std::span<const std::int64_t>> subset;
};

struct BM25Options {
    BM25Strategy strategy = BM25Strategy::automatic;
    int threads = 1;
    Interrupted interrupted;
};

// Diagnostics; they belong in no record.
struct BM25Counters {
    std::uint64_t postings = 0;           // of the terms of all queries
    std::uint64_t postings_screened = 0;  // of those, how many were read in sequence
    std::uint64_t looked_up = 0;          // searches for one document in one list
    std::uint64_t rescored = 0;           // documents whose score was computed in float64
};

class BM25Index;

// Takes documents batch by batch and holds what they come to, not their text: about five bytes a
// posting and each distinct term once for every thread. The index doesn't depend on how documents
// were cut into batches, nor on threads.
class BM25Builder {
  public:
    explicit BM25Builder(const BM25Settings& settings);
    BM25Builder(BM25Builder&&) noexcept;
    BM25Builder& operator=(BM25Builder&&) noexcept;
    ~BM25Builder();

    // The next documents, in row order. At most 2^32 - 1 documents, each of at most 2^32 - 1
    // tokens. After an exception the builder is of no more use: add, rename and finish throw
    // std::logic_error.
    void add(const TokenLists& docs, int threads, const Interrupted& interrupted);

    // The same from n texts, cut into words by text.hpp. text_of(i, scratch) returns text i as
    // UTF-8, in place or in `scratch`; it is called from several threads, with a scratch each.
    using TextOf = std::function<std::string_view(std::size_t i, std::string& scratch)>;
    void add_texts(std::size_t n, const TextOf& text_of, int threads,
                   const Interrupted& interrupted);

    // The distinct terms so far, in an order that means nothing; valid until the next add.
    std::vector<std::string_view> terms() const;

    // Replaces every term, in the order of terms(): by its new spelling, or by nothing at all, as
    // if documents had never held it. Terms that are spelled alike afterwards become one.
    void rename(std::span<const std::optional<std::string_view>> spellings);

    std::size_t docs() const noexcept;

    // The builder is empty afterwards. `note` is stored with the index and means nothing to it.
    BM25Index finish(const std::string& note, int threads, const Interrupted& interrupted);

  private:
    std::unique_ptr<detail::bm25::Gathered> gathered_;
};

class BM25Index {
  public:
    // The builder's work in one call.
    static BM25Index build(const TokenLists& docs, const BM25Settings& settings, int threads = 1);

    // A file by memory map; `descriptor` may be closed afterwards, `name` is what messages call the
    // file. Throws IndexFileError here when the file isn't an index or its header, its list of
    // checksums or a size is wrong; damaged contents throw it here, when they are first touched, or
    // in verify(). Contents that contradict each other under right checksums throw it too: nothing
    // read from the file is trusted. Throws std::system_error when the file can't be mapped.
    static BM25Index open(int descriptor, const std::string& name);

    // The same from memory.
    static BM25Index from_bytes(std::vector<unsigned char> bytes, const std::string& name);

    BM25Index(BM25Index&&) noexcept;
    BM25Index& operator=(BM25Index&&) noexcept;
    ~BM25Index();

    // The whole file: the same documents, settings and note give the same bytes. save() writes
    // them into an empty, open file and throws std::system_error.
    std::vector<unsigned char> bytes() const;
    void save(int descriptor, const Interrupted& interrupted) const;

    // Checks every block against its checksum and all contents against each other. Does nothing for
    // an index that was built here.
    void verify(int threads, const Interrupted& interrupted) const;

    std::size_t docs() const noexcept;
    std::size_t vocabulary_size() const noexcept;
    std::uint64_t postings() const noexcept;
    std::uint64_t tokens() const noexcept;  // the sum of the documents' lengths
    const BM25Settings& settings() const noexcept;
    std::string_view note() const;

    // Terms are numbered in ascending order of their bytes.
    std::optional<std::size_t> term_id(std::string_view term) const;
    std::string_view term(std::size_t id) const;
    std::size_t document_frequency(std::size_t id) const;
    std::size_t document_length(std::size_t row) const;

    // One list of hits for each query. `counters` are added to, when given.
    HitLists search(const BM25Request& request, const BM25Options& options,
                    BM25Counters* counters = nullptr) const;

    // The hits of queries given as text, cut into words by text.hpp; `request.queries` is empty and
    // exclusions are those of the texts. Throws std::invalid_argument for text that isn't UTF-8.
    HitLists search_texts(std::span<const std::string_view> texts, const BM25Request& request,
                          const BM25Options& options, BM25Counters* counters = nullptr) const;

    // The score of every document, 0.0 where it holds no term of the query; out has docs() places.
    void scores(std::span<const std::string_view> query, std::span<float> out,
                const Interrupted& interrupted) const;

  private:
    friend class BM25Builder;
    explicit BM25Index(std::unique_ptr<detail::bm25::IndexData> data);
    std::unique_ptr<detail::bm25::IndexData> data_;
};

}  // namespace gnomon
