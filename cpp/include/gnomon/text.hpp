// Text into words, the same on every machine, in every locale and under every Python.
//
// The text is folded first: NFKC_Casefold of the Unicode Standard (section 3.13), with the iota
// subscript U+0345 put in canonical order before it is folded, so that canonically equivalent texts
// fold alike. The words are runs of the folded text:
//
//   word      letters, numbers and marks (L, N, M): the whole run is one word
//   CJK       Han, Hiragana, Katakana and Hangul letters and numbers, with the prolonged sound
//             marks: a run of n > 1 characters gives its n - 1 bigrams, a single one itself; the
//             marks that follow a character belong to it
//   the rest  punctuation, symbols, separators, control, unassigned: no word, ends a run
//
// A mark with no letter or number before it in its run is dropped. Default-ignorable code points
// (soft hyphen, joiners, variation selectors, direction marks) are removed by the folding and so
// don't end a run; only U+200B, the zero-width space, ends one, since that is what it is for.
// docs/kernels/text.md has the reasons and examples.
//
// Preconditions: UTF-8 without surrogates; anything else throws std::invalid_argument that names
// the byte. Empty text has no words. Complexity: O(bytes), plus a sort of each run of combining
// marks; memory O(longest word). Source: Unicode Standard Annexes 15 and 44.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "gnomon/isa.hpp"

namespace gnomon {

// The version of the Unicode data in the tables, such as "15.0.0".
const char* unicode_version() noexcept;

// Grows whenever the same text may give other words than before.
inline constexpr int kTextRules = 1;

// The whole text folded, words or not. Removes U+200B, as the standard has it.
std::string nfkc_casefold(std::string_view text);

// The words of one text after another. One object a thread, used again for every text: it owns the
// buffers that the words lie in. Nothing is shared between objects, nothing is allocated a word.
class TokenStream {
  public:
    // Behind every token that next() returns, so many bytes may be read; their values mean nothing.
    static constexpr std::size_t kReadableBehind = 64;

    explicit TokenStream(Isa isa = chosen_isa());
    TokenStream(TokenStream&&) noexcept;
    TokenStream& operator=(TokenStream&&) noexcept;
    ~TokenStream();

    // Begins a text, which must stay where it is until next() has returned its end.
    void start(std::string_view text);

    // The next words in their order, those of some 16 KiB of text; empty only at the end. The views
    // are UTF-8 and valid until the next call of next() or start(). A token is never empty.
    std::span<const std::string_view> next();

  private:
    class State;
    std::unique_ptr<State> state_;
};

// sink(std::string_view) for every word of the text.
template <typename Sink>
void for_each_token(TokenStream& stream, std::string_view text, Sink&& sink) {
    stream.start(text);
    for (auto tokens = stream.next(); !tokens.empty(); tokens = stream.next()) {
        for (const std::string_view token : tokens) {
            sink(token);
        }
    }
}

}  // namespace gnomon
