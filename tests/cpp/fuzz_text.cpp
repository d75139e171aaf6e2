// Fuzzing of text analysis: any bytes, and any sequence of characters that are hard to analyse.
//
// Bytes that are no UTF-8 are refused, on every instruction set; everything else gives the same
// words on all of them, and the words keep the rules: none is empty, each is UTF-8 and analyses to
// itself, folding twice is folding once, and what stands before and after a space doesn't matter.
#include <fuzzer/FuzzedDataProvider.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gnomon/text.hpp"

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kMostBytes = 800;

[[noreturn]] void fail(const char* what, const std::string& text) {
    std::fprintf(stderr, "%s:", what);
    for (const char each : text) {
        std::fprintf(stderr, " %02x", static_cast<unsigned char>(each));
    }
    std::fprintf(stderr, "\n");
    std::abort();
}

void append(std::string& text, std::uint32_t code) {
    const auto byte = [&](std::uint32_t value) { text.push_back(static_cast<char>(value)); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0U | (code >> 6U));
        byte(0x80U | (code & 63U));
    } else if (code < 0x10000) {
        byte(0xE0U | (code >> 12U));
        byte(0x80U | ((code >> 6U) & 63U));
        byte(0x80U | (code & 63U));
    } else {
        byte(0xF0U | (code >> 18U));
        byte(0x80U | ((code >> 12U) & 63U));
        byte(0x80U | ((code >> 6U) & 63U));
        byte(0x80U | (code & 63U));
    }
}

// The length of the character that begins here, or 0 where none does.
std::size_t character_length(const std::string& text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const unsigned first = byte(0);
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    if (first < 0x80) {
        return 1;
    }
    if (first >= 0xC2 && first < 0xE0) {
        return follows(1) ? 2 : 0;
    }
    if (first >= 0xE0 && first < 0xF0) {
        const bool overlong = first == 0xE0 && byte(1) < 0xA0;
        const bool surrogate = first == 0xED && byte(1) >= 0xA0;
        return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xF0 && first < 0xF5) {
        const bool overlong = first == 0xF0 && byte(1) < 0x90;
        const bool beyond = first == 0xF4 && byte(1) >= 0x90;
        return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
    }
    return 0;
}

bool is_utf8(const std::string& text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = character_length(text, at);
        if (length == 0) {
            return false;
        }
        at += length;
    }
    return true;
}

// Nothing when the text is refused.
std::optional<Words> words(gnomon::TokenStream& stream, const std::string& text) {
    try {
        Words found;
        gnomon::for_each_token(stream, text,
                               [&](std::string_view token) { found.emplace_back(token); });
        return found;
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

std::string drawn_text(FuzzedDataProvider& bytes) {
    if (bytes.ConsumeBool()) {
        return bytes.ConsumeBytesAsString(kMostBytes);
    }
    constexpr std::array<std::uint32_t, 64> kHard{
        'a',    'Z',    '0',     ' ',     '.',    '\'',    0xDF,    0x1E9E, 0x130,  0x131,  0x3A3,
        0x3C2,  0x345,  0x301,   0x323,   0x307,  0x327,   0x300,   0x1FB3, 0xFB01, 0xFF76, 0xFF9E,
        0x304B, 0x3099, 0x30FC,  0x30FB,  0x3005, 0x6771,  0x20000, 0xFA0E, 0x1100, 0x1161, 0x11A8,
        0xAC00, 0xAC01, 0x115F,  0x1160,  0x200B, 0x200C,  0x200D,  0xAD,   0xFEFF, 0xFE0F, 0xE0100,
        0x2060, 0x20E3, 0x1F44D, 0x1F3FD, 0xFDFA, 0x930,   0x94D,   0x93F,  0xE2A,  0xE31,  0x5D0,
        0x5B0,  0x627,  0x651,   0xF71,   0xF80,  0x10400, 0x1D165, 0x1E9B, 0xE000};
    std::string text;
    while (bytes.remaining_bytes() > 0 && text.size() < kMostBytes) {
        const auto choice = bytes.ConsumeIntegral<std::uint8_t>();
        std::uint32_t code = kHard.at(choice % kHard.size());
        if (choice >= 192) {
            code = bytes.ConsumeIntegralInRange<std::uint32_t>(0, 0x10FFFF);
            code = code >= 0xD800 && code < 0xE000 ? code - 0x1000 : code;
        }
        for (unsigned repeat = choice == 255 ? 70 : 1; repeat > 0; --repeat) {
            append(text, code);
        }
    }
    return text;
}

void check_rules(gnomon::TokenStream& stream, const std::string& text, const Words& found) {
    for (const std::string& word : found) {
        if (word.empty() || !is_utf8(word)) {
            fail("a word is empty or no UTF-8", text);
        }
        const auto again = words(stream, word);
        if (!again || again->size() != 1 || again->front() != word) {
            fail("a word doesn't analyse to itself", text);
        }
    }
    const std::string folded = gnomon::nfkc_casefold(text);
    if (!is_utf8(folded) || gnomon::nfkc_casefold(folded) != folded) {
        fail("folding isn't idempotent", text);
    }
    Words twice = found;
    twice.insert(twice.end(), found.begin(), found.end());
    if (words(stream, text + " " + text) != twice) {
        fail("a text on both sides of a space has other words", text);
    }
    if (text.find("\xE2\x80\x8B") == std::string::npos && words(stream, folded) != found) {
        fail("the folded text has other words", text);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzedDataProvider bytes(data, size);
    const std::string text = drawn_text(bytes);
    const bool valid = is_utf8(text);
    std::optional<Words> expected;
    for (const gnomon::Isa isa : gnomon::runnable_isas()) {
        gnomon::TokenStream stream(isa);
        const auto found = words(stream, text);
        if (found.has_value() != valid) {
            fail(valid ? "UTF-8 is refused" : "what is no UTF-8 is taken", text);
        }
        if (!valid) {
            continue;
        }
        if (expected && *found != *expected) {
            fail("instruction sets differ", text);
        }
        if (!expected) {
            check_rules(stream, text, *found);
        }
        expected = found;
    }
    return 0;
}
