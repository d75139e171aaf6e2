// The whole text folded: the definition that the words of TokenStream are compared with.
#include <string>

#include "gnomon/steps.hpp"
#include "gnomon/text.hpp"
#include "gnomon/utf8.hpp"
#include "text/segment.hpp"

namespace gnomon {

const char* unicode_version() noexcept { return detail::kUnicodeVersion; }

namespace {

constexpr std::size_t kWeight = 8;  // of a character, which is decoded, looked up and composed

}  // namespace

std::string nfkc_casefold(std::string_view text) {
    std::string folded;
    folded.reserve(text.size());
    detail::Segment segment;
    detail::Meter meter;
    const auto flush = [&] {
        segment.compose();
        for (std::size_t i = 0; i < segment.size(); ++i) {
            meter.add(1);
            char bytes[4];
            folded.append(bytes, detail::encode(segment[i], bytes));
        }
        segment.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
        const detail::Decoded decoded = detail::decode_at(text, at);
        at += decoded.length;
        meter.add(kWeight);
        const bool ignorable = detail::Folding::of(decoded.cp).is_ignorable();
        if (!ignorable && !detail::begins_with_combining(decoded.cp)) {
            flush();
        }
        segment.add_folded(decoded.cp);
    }
    flush();
    return folded;
}

}  // namespace gnomon
