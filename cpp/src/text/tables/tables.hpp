// What generate.py writes, and how it is looked up. The arrays are in tables.cpp, which is made,
// not written.
//
// A trie of two stages gives every code point a value of 16 bits. Below kFirstMapped the code point
// folds to itself or to nothing: bits 0-1 are its class, 2-3 its place in normalisation, 4-11 its
// combining class. From kFirstMapped on, the rest is the number of a mapping.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gnomon::detail {

// What a folded code point is to the words.
enum class TextClass : std::uint8_t { separator, word, cjk, mark };

// How a code point that folds to itself stands to what is before it: it begins anew; it folds to
// nothing; it may have to be sorted; it may have to be sorted or composed.
enum class Placement : std::uint8_t { keep, ignorable, ordered, maybe };

// How a mapping is written out: as part of one word, as one CJK character, as separators, code
// point by code point, or through a Segment.
enum class MappingKind : std::uint8_t { word, cjk, separators, mixed, segment };

inline constexpr std::uint16_t kFirstMapped = 1U << 12U;
inline constexpr std::uint32_t kTrieShift = 7;
inline constexpr std::uint32_t kBlockMask = (1U << kTrieShift) - 1U;
inline constexpr std::uint16_t kIgnorableValue = 1U << 2U;
inline constexpr char32_t kZeroWidthSpace = 0x200B;
inline constexpr char32_t kYpogegrammeni = 0x0345;  // combining iota subscript
inline constexpr char32_t kIota = 0x03B9;

extern const char* const kUnicodeVersion;
extern const std::uint32_t kTrieEnd;
extern const std::size_t kCompositions;
extern const std::size_t kDecompositions;
extern const std::uint16_t kTrieBlock[];
extern const std::uint16_t kTrieValue[];
extern const std::uint32_t kMapping[];  // offset << 12 | length << 4 | kind
extern const unsigned char kMappingBytes[];
extern const std::uint64_t kCompositionPair[];  // first << 32 | second, ascending
extern const std::uint32_t kComposite[];
extern const std::uint64_t kDecomposition[];  // code point << 32 | offset << 8 | length, ascending
extern const std::uint32_t kDecompositionPart[];

// The value of a code point in the trie.
class Folding {
  public:
    static Folding of(char32_t cp) noexcept {
        if (cp < kTrieEnd) {
            const std::uint32_t block = kTrieBlock[cp >> kTrieShift];
            return Folding(kTrieValue[(block << kTrieShift) | (cp & kBlockMask)]);
        }
        return Folding((cp >> 12U) == 0xE0U ? kIgnorableValue : std::uint16_t{0});
    }

    bool is_mapped() const noexcept { return value_ >= kFirstMapped; }

    // Of a code point that isn't mapped.
    TextClass text_class() const noexcept { return static_cast<TextClass>(value_ & 3U); }
    Placement placement() const noexcept { return static_cast<Placement>((value_ >> 2U) & 3U); }
    std::uint8_t combining_class() const noexcept {
        return static_cast<std::uint8_t>((value_ >> 4U) & 0xFFU);
    }
    bool is_ignorable() const noexcept { return value_ == kIgnorableValue; }

    // Of one that is.
    MappingKind mapping_kind() const noexcept { return static_cast<MappingKind>(mapping() & 15U); }
    std::string_view mapped() const noexcept {
        const auto* first = reinterpret_cast<const char*>(kMappingBytes) + (mapping() >> 12U);
        return {first, (mapping() >> 4U) & 0xFFU};
    }

  private:
    explicit Folding(std::uint16_t value) noexcept : value_(value) {}
    std::uint32_t mapping() const noexcept { return kMapping[value_ - kFirstMapped]; }

    std::uint16_t value_;
};

}  // namespace gnomon::detail
