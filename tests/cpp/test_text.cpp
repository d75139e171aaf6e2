#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "gnomon/text.hpp"
#include "gnomon/utf8.hpp"
#include "support.hpp"
#include "text/ascii.hpp"
#include "text/segment.hpp"
#include "text/tables/tables.hpp"

using gnomon::Isa;
using gnomon::TokenStream;
using gnomon::detail::Folding;
using gnomon::detail::TextClass;

namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text, Isa isa = gnomon::chosen_isa()) {
    TokenStream stream(isa);
    Words words;
    gnomon::for_each_token(stream, text, [&](std::string_view word) { words.emplace_back(word); });
    return words;
}

// The characters of a text, one code point each.
std::vector<std::string_view> characters_of(std::string_view text) {
    std::vector<std::string_view> characters;
    while (!text.empty()) {
        const std::size_t length = gnomon::detail::decode_at(text, 0).length;
        characters.push_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return characters;
}

// The words by the header's definition: the whole text folded, then cut, character by character.
class Definition {
  public:
    explicit Definition(std::string_view text) {
        const std::string folded = gnomon::nfkc_casefold(with_plain_spaces(text));
        for (const std::string_view character : characters_of(folded)) {
            take(character);
        }
        end_run();
    }

    const Words& words() const { return words_; }

  private:
    static std::string with_plain_spaces(std::string_view text) {
        std::string spaced;
        for (const std::string_view character : characters_of(text)) {
            spaced += character == "\u200B" ? " " : character;
        }
        return spaced;
    }

    void take(std::string_view character) {
        const char32_t cp = gnomon::detail::decode_at(character, 0).cp;
        const TextClass text_class = Folding::of(cp).text_class();
        if (text_class == TextClass::mark) {
            if (!run_.empty()) {
                run_.back() += character;
            }
            return;
        }
        if (text_class != class_) {
            end_run();
        }
        class_ = text_class;
        if (text_class == TextClass::word && !run_.empty()) {
            run_.back() += character;
        } else if (text_class != TextClass::separator) {
            run_.emplace_back(character);
        }
    }

    void end_run() {
        if (run_.size() == 1) {
            words_.push_back(run_[0]);
        }
        for (std::size_t i = 0; i + 1 < run_.size(); ++i) {
            words_.push_back(run_[i] + run_[i + 1]);
        }
        run_.clear();
    }

    Words run_;
    Words words_;
    TextClass class_ = TextClass::separator;
};

void check_by_definition(const std::string& text) {
    CAPTURE(text);
    const Words expected = Definition(text).words();
    for (const Isa isa : gnomon::runnable_isas()) {
        CAPTURE(gnomon::isa_name(isa));
        CHECK(words_of(text, isa) == expected);
    }
}

// Code points at which something happens: combining, ignored, mapped to many, Hangul, CJK, iota.
constexpr char32_t kDelicate[] = {
    U' ',   U'a',   U'u',   U'A',   U'1',   U'=',    0xAD,    0xB4,    0xBD,   0xDF,   0x130,
    0x300,  0x301,  0x308,  0x323,  0x327,  0x338,   0x340,   0x344,   0x345,  0x34F,  0x37A,
    0x390,  0x3B1,  0x93C,  0x94D,  0x9BE,  0x9C7,   0xDCA,   0xDCF,   0xDD9,  0xE33,  0xF73,
    0x1100, 0x1161, 0x11A8, 0x1EBF, 0x1FB4, 0x200B,  0x200D,  0x3099,  0x304B, 0x30FC, 0x5B57,
    0xAC00, 0xAC01, 0xFDFA, 0xFF76, 0xFF9E, 0x1D15E, 0x1D165, 0x2F800, 0xE0100};

std::string random_text(std::mt19937& random, std::size_t size) {
    const auto below = [&](std::size_t n) { return static_cast<char32_t>(random() % n); };
    const char32_t flavour = below(4);
    std::string text;
    for (std::size_t i = 0; i < size; ++i) {
        char32_t cp = kDelicate[below(std::size(kDelicate))];
        if (flavour == 1 || (flavour == 3 && below(2) == 0)) {
            cp = below(128);
        } else if (flavour == 2) {
            cp = below(3) == 0 ? below(0x110000) : below(0x3400);
        }
        if (cp >= 0xD800 && cp < 0xE000) {
            continue;
        }
        char bytes[4];
        text.append(bytes, gnomon::detail::encode(cp, bytes));
    }
    return text;
}

}  // namespace

TEST_CASE("ASCII letters and digits are words in lower case") {
    CHECK(words_of("The cat's C++, R2-D2 & foo_bar: 3.14") ==
          Words{"the", "cat", "s", "c", "r2", "d2", "foo", "bar", "3", "14"});
    CHECK(words_of("").empty());
    CHECK(words_of(" \t\r\n\x01\x7F").empty());
}

TEST_CASE("every ASCII byte alone is a word or not, on every instruction set") {
    for (const Isa isa : gnomon::runnable_isas()) {
        for (int byte = 0; byte < 128; ++byte) {
            const char character = static_cast<char>(byte);
            const bool lower = character >= 'a' && character <= 'z';
            const bool upper = character >= 'A' && character <= 'Z';
            const bool digit = character >= '0' && character <= '9';
            Words expected;
            if (lower || upper || digit) {
                expected.emplace_back(1, upper ? static_cast<char>(byte + 32) : character);
            }
            CAPTURE(byte);
            CHECK(words_of(std::string_view(&character, 1), isa) == expected);
        }
    }
}

TEST_CASE("CJK runs become bigrams, a single character stays, marks stay with theirs") {
    CHECK(words_of("東京塔") == Words{"東京", "京塔"});
    CHECK(words_of("字 a字b") == Words{"字", "a", "字", "b"});
    CHECK(words_of("ｶﾞﾗｽ") == Words{"ガラ", "ラス"});
    CHECK(words_of("か\u3099く\u0301け") == Words{"がく\u0301", "く\u0301け"});
    CHECK(words_of("한국어") == Words{"한국", "국어"});
    CHECK(words_of("\u1112\u1161\u11AB\u1100\u116E\u11A8") == Words{"한국"});
}

TEST_CASE("composed and decomposed text give the same words") {
    CHECK(words_of("Zu\u0308rich") == Words{"z\u00FCrich"});
    CHECK(words_of("Z\u00DCRICH") == Words{"z\u00FCrich"});
    CHECK(words_of("a\u0323\u0302 a\u0302\u0323 \u1EA1\u0302") ==
          Words{"\u1EAD", "\u1EAD", "\u1EAD"});
    // The iota subscript is sorted behind the accent before it becomes a letter.
    CHECK(words_of("\u03B1\u0345\u0301 \u03B1\u0301\u0345 \u1FB4") ==
          Words{"\u03AC\u03B9", "\u03AC\u03B9", "\u03AC\u03B9"});
}

TEST_CASE("ignorable code points join, the zero-width space and controls part") {
    CHECK(words_of("co\u00ADop a\u200Db \u200Fc\uFE0F") == Words{"coop", "ab", "c"});
    CHECK(words_of("ab\u200Bcd") == Words{"ab", "cd"});
    CHECK(words_of(std::string_view("a\0b", 3)) == Words{"a", "b"});
}

TEST_CASE("a mark with nothing to stand on is dropped") {
    CHECK(words_of("\u0301 a").size() == 1);
    CHECK(words_of("don\u00B4t") == Words{"don", "t"});
    CHECK(words_of("\u2764\uFE0F \u20E3").empty());
}

TEST_CASE("the stream cuts as the definition does, on every instruction set") {
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        check_by_definition(random_text(random, random() % (round % 50 == 0 ? 400 : 24)));
    }
}

TEST_CASE("folding twice changes nothing") {
    std::mt19937 random(8);
    for (int round = 0; round < 3000; ++round) {
        const std::string folded = gnomon::nfkc_casefold(random_text(random, random() % 24));
        CHECK(gnomon::nfkc_casefold(folded) == folded);
    }
}

TEST_CASE("a word may end anywhere in a block or a call") {
    for (const std::size_t length : {1U, 62U, 63U, 64U, 65U, 127U, 4095U, 4096U, 16383U, 16384U}) {
        const std::string word(length, 'x');
        CHECK(words_of(word + " " + word) == Words{word, word});
        CHECK(words_of(word + "\u00FC" + word) == Words{word + "\u00FC" + word});
        CHECK(words_of(word + "字字" + word) == Words{word, "字字", word});
        CHECK(words_of(word + "u\u0308") == Words{word + "\u00FC"});
    }
}

TEST_CASE("a word may be longer than everything that a call looks at") {
    const std::string word(1U << 20U, 'Q');
    CHECK(words_of("a " + word + " b") == Words{"a", std::string(word.size(), 'q'), "b"});
    std::string marks = "a";
    for (int i = 0; i < 100000; ++i) {
        marks += i % 2 == 0 ? "\u0301" : "\u0323";
    }
    CHECK(words_of(marks).size() == 1);
    CHECK(words_of(marks)[0].substr(0, 5) == "\u1EA1\u0323");
}

TEST_CASE("a stream is used again, also after a text that was left half read") {
    TokenStream stream;
    std::string text;
    for (int i = 0; i < 20000; ++i) {
        text += "w" + std::to_string(i) + " ";
    }
    stream.start(text);
    CHECK_FALSE(stream.next().empty());
    std::vector<std::string> words;
    gnomon::for_each_token(stream, "字x", [&](std::string_view w) { words.emplace_back(w); });
    CHECK(words == Words{"字", "x"});
    CHECK(stream.next().empty());
    std::size_t count = 0;
    gnomon::for_each_token(stream, text, [&](std::string_view) { ++count; });
    CHECK(count == 20000);
}

TEST_CASE("bytes behind a token may be read") {
    TokenStream stream;
    unsigned sum = 0;
    gnomon::for_each_token(stream, "short", [&](std::string_view word) {
        for (std::size_t i = 0; i < word.size() + TokenStream::kReadableBehind; ++i) {
            sum += static_cast<unsigned char>(word.data()[i]);
        }
    });
    CHECK(sum >= 5U * 'a');
}

TEST_CASE("bytes that are no UTF-8 are refused with their place") {
    const char* const wrong[] = {
        "\x80",         "\xC3",         "\xC0\xAF",         "\xE0\x80\xAF",
        "\xED\xA0\x80", "\xE2\x82",     "\xF4\x90\x80\x80", "\xF0\x8F\xBF\xBF",
        "\xFF",         "\xF0\x9F\x98", "\xC3\x28"};
    for (const char* bytes : wrong) {
        const std::string text = std::string("abc \u00FC") + bytes;
        CHECK_THROWS_WITH_AS(words_of(text), "the text is not UTF-8 at byte 6",
                             std::invalid_argument);
        CHECK_THROWS_WITH_AS(gnomon::nfkc_casefold(text), "the text is not UTF-8 at byte 6",
                             std::invalid_argument);
        CHECK_THROWS_AS(words_of("u\u0308" + text), std::invalid_argument);
    }
}

TEST_CASE("every code point is encoded as it is decoded") {
    for (char32_t cp = 0; cp < 0x110000; ++cp) {
        if (cp >= 0xD800 && cp < 0xE000) {
            continue;
        }
        char bytes[4];
        const std::size_t length = gnomon::detail::encode(cp, bytes);
        const auto decoded = gnomon::detail::decode(bytes, length);
        REQUIRE(decoded.cp == cp);
        REQUIRE(decoded.length == length);
        REQUIRE(gnomon::detail::decode(bytes, length - 1 + (length == 1)).length == (length == 1));
    }
}

TEST_CASE("ASCII is folded alike by every instruction set, for every length and any first other") {
    std::mt19937 random(9);
    for (std::size_t n = 1; n < 200; ++n) {
        std::string text(n, '\0');
        std::generate(text.begin(), text.end(), [&] { return static_cast<char>(random() % 128); });
        const std::size_t other = random() % (2 * n);
        if (other < n) {
            text[other] = static_cast<char>(0x80 + random() % 128);
        }
        const std::size_t ascii = std::min(other, n);
        for (const Isa isa : gnomon::runnable_isas()) {
            std::array<char, 256> out;
            std::array<std::uint64_t, 4> words;
            const auto fold = gnomon::detail::fold_ascii(isa);
            REQUIRE(fold(text.data(), n, out.data(), words.data()) == ascii);
            for (std::size_t i = 0; i < ascii; ++i) {
                const bool word = (words[i / 64] >> (i % 64) & 1U) != 0;
                REQUIRE(word == (std::isalnum(static_cast<unsigned char>(text[i])) != 0));
                if (word) {
                    REQUIRE(out[i] == std::tolower(static_cast<unsigned char>(text[i])));
                }
            }
        }
    }
}
