#include "text/segment.hpp"

#include <algorithm>
#include <iterator>

#include "gnomon/steps.hpp"
#include "gnomon/utf8.hpp"

namespace gnomon::detail {

namespace {

// Hangul syllables are composed by arithmetic (Unicode Standard, section 3.12).
constexpr char32_t kSyllables = 0xAC00;
constexpr char32_t kLeading = 0x1100;
constexpr char32_t kVowel = 0x1161;
constexpr char32_t kTrailing = 0x11A7;  // one before the first: no trailing consonant
constexpr char32_t kLeadings = 19;
constexpr char32_t kVowels = 21;
constexpr char32_t kTrailings = 28;

bool is_syllable(char32_t cp) noexcept {
    return cp - kSyllables < kLeadings * kVowels * kTrailings;
}

// The Hangul composite, or 0.
char32_t hangul_composite(char32_t first, char32_t second) noexcept {
    if (first - kLeading < kLeadings && second - kVowel < kVowels) {
        return kSyllables + ((first - kLeading) * kVowels + (second - kVowel)) * kTrailings;
    }
    const bool open_syllable = is_syllable(first) && (first - kSyllables) % kTrailings == 0;
    if (open_syllable && second - (kTrailing + 1) < kTrailings - 1) {
        return first + (second - kTrailing);
    }
    return 0;
}

}  // namespace

char32_t composite(char32_t first, char32_t second) noexcept {
    const std::uint64_t pair = std::uint64_t{first} << 32U | second;
    const std::uint64_t* end = kCompositionPair + kCompositions;
    const std::uint64_t* found = std::lower_bound(kCompositionPair, end, pair);
    if (found != end && *found == pair) {
        return kComposite[found - kCompositionPair];
    }
    return hangul_composite(first, second);
}

bool begins_with_combining(char32_t cp) noexcept {
    const Folding folding = Folding::of(cp);
    if (!folding.is_mapped()) {
        return folding.placement() == Placement::ordered || folding.placement() == Placement::maybe;
    }
    if (folding.mapping_kind() != MappingKind::segment) {
        return false;
    }
    const std::string_view mapped = folding.mapped();
    return begins_with_combining(decode(mapped.data(), mapped.size()).cp);
}

void Segment::add_folded(char32_t cp) {
    const Folding folding = Folding::of(cp);
    if (!folding.is_mapped()) {
        if (!folding.is_ignorable()) {
            add_decomposed(cp);
        }
        return;
    }
    const std::string_view mapped = folding.mapped();
    for (std::size_t at = 0; at < mapped.size();) {
        const Decoded part = decode(mapped.data() + at, mapped.size() - at);
        add_decomposed(part.cp);
        at += part.length;
    }
}

void Segment::add_decomposed(char32_t cp) {
    if (is_syllable(cp)) {
        const char32_t number = cp - kSyllables;
        add(kLeading + number / kTrailings / kVowels);
        add(kVowel + number / kTrailings % kVowels);
        if (number % kTrailings != 0) {
            add(kTrailing + number % kTrailings);
        }
        return;
    }
    const std::uint64_t* end = kDecomposition + kDecompositions;
    const std::uint64_t* found = std::lower_bound(kDecomposition, end, std::uint64_t{cp} << 32U);
    if (found == end || *found >> 32U != cp) {
        add(cp);
        return;
    }
    const std::uint32_t* parts = kDecompositionPart + ((*found & 0xFFFFFFFFU) >> 8U);
    for (std::size_t i = 0; i < (*found & 0xFFU); ++i) {
        add(parts[i]);
    }
}

void Segment::sort() {
    const auto starts = [](const Mark& mark) { return mark.combining_class == 0; };
    const auto before = [](const Mark& a, const Mark& b) {
        return a.combining_class < b.combining_class;
    };
    auto first = marks_.begin();
    while (first != marks_.end()) {
        first = std::find_if_not(first, marks_.end(), starts);
        const auto last = std::find_if(first, marks_.end(), starts);
        if (!std::is_sorted(first, last, before)) {
            arrange_in_steps(static_cast<std::size_t>(last - first), before,
                             [=](auto less) { std::stable_sort(first, last, less); });
        }
        first = last;
    }
}

void Segment::compose() {
    sort();
    std::size_t kept = 0;
    std::size_t starter = 0;
    bool has_starter = false;
    std::uint8_t last_class = 0;
    Meter meter;
    for (Mark mark : marks_) {
        meter.add(1);
        if (mark.cp == kYpogegrammeni) {
            mark = {kIota, 0};
        }
        const bool reaches = kept == starter + 1 || last_class < mark.combining_class;
        if (has_starter && reaches) {
            if (const char32_t composed = composite(marks_[starter].cp, mark.cp); composed != 0) {
                marks_[starter].cp = composed;
                continue;
            }
        }
        if (mark.combining_class == 0) {
            starter = kept;
            has_starter = true;
        }
        last_class = mark.combining_class;
        marks_[kept++] = mark;
    }
    marks_.resize(kept);
}

}  // namespace gnomon::detail
