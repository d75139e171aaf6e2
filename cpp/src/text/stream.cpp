// One walk over the text: ASCII in blocks, the rest code point by code point; what normalisation
// has to look at together goes through a Segment.
#include <algorithm>
#include <array>

#include "gnomon/steps.hpp"
#include "gnomon/text.hpp"
#include "gnomon/utf8.hpp"
#include "text/ascii.hpp"
#include "text/segment.hpp"
#include "text/word_buffer.hpp"

namespace gnomon {

namespace {

using detail::Decoded;
using detail::Folding;
using detail::MappingKind;
using detail::Placement;
using detail::TextClass;

constexpr std::size_t kBytesPerCall = std::size_t{16} << 10U;
constexpr std::size_t kAsciiStretch = 4096;
constexpr std::size_t kBytesWeight = 4;  // a byte takes some nanoseconds, outside of ASCII

// Fewer ASCII bytes than this between others don't pay for a block.
constexpr std::size_t kFewAscii = 8;

bool is_ascii(char byte) noexcept { return static_cast<unsigned char>(byte) < 0x80U; }

}  // namespace

class TokenStream::State {
  public:
    explicit State(Isa isa) : fold_ascii_(detail::fold_ascii(isa)) {}

    void start(std::string_view text) noexcept {
        text_ = text;
        at_ = 0;
        last_class_ = 0;
        buffer_.clear();
    }

    std::span<const std::string_view> next() {
        buffer_.drop_tokens();
        while (at_ < text_.size() && buffer_.tokens().empty()) {
            buffer_.drop_tokens();
            const std::size_t before = at_;
            cut_until(std::min(text_.size(), at_ + kBytesPerCall));
            meter_.add(kBytesWeight * (at_ - before));
        }
        if (at_ == text_.size()) {
            buffer_.end_run();
        }
        return buffer_.tokens();
    }

  private:
    [[gnu::noinline]] void cut_until(std::size_t limit) {
        while (at_ < limit) {
            if (is_ascii(text_[at_])) {
                cut_ascii(std::min(limit - at_, kAsciiStretch));
            } else {
                cut_beyond_ascii(limit);
            }
        }
    }

    void cut_ascii(std::size_t n) {
        std::array<std::uint64_t, kAsciiStretch / detail::kAsciiBlock> words;
        buffer_.reserve(n);
        const std::size_t folded = fold_ascii_(text_.data() + at_, n, buffer_.tail(), words.data());
        for (std::size_t done = 0; done < folded; done += detail::kAsciiBlock) {
            buffer_.take_ascii(words[done / detail::kAsciiBlock],
                               std::min(folded - done, detail::kAsciiBlock));
        }
        at_ += folded;
        last_class_ = 0;
    }

    // Until `limit`, or until there is ASCII enough for blocks.
    void cut_beyond_ascii(std::size_t limit) {
        while (at_ < limit) {
            if (!is_ascii(text_[at_])) {
                cut_code_point();
            } else if (ascii_ahead()) {
                return;
            } else {
                cut_ascii_byte();
            }
        }
    }

    bool ascii_ahead() const noexcept {
        const std::size_t end = std::min(text_.size(), at_ + kFewAscii);
        return std::all_of(text_.data() + at_, text_.data() + end, is_ascii);
    }

    void cut_ascii_byte() {
        char folded[detail::kAsciiBlock];
        std::uint64_t words = 0;
        detail::fold_ascii_scalar(text_.data() + at_, 1, folded, &words);
        buffer_.append(words != 0 ? TextClass::word : TextClass::separator, {folded, 1});
        ++at_;
        last_class_ = 0;
    }

    void cut_code_point() {
        const Decoded decoded = detail::decode_at(text_, at_);
        const Folding folding = Folding::of(decoded.cp);
        if (folding.is_mapped()) {
            cut_mapped(decoded, folding);
            return;
        }
        const std::string_view bytes = text_.substr(at_, decoded.length);
        switch (folding.placement()) {
        case Placement::keep:
            buffer_.append(folding.text_class(), bytes);
            last_class_ = 0;
            break;
        case Placement::ignorable:
            if (decoded.cp == detail::kZeroWidthSpace) {
                buffer_.end_run();
            }
            break;
        case Placement::ordered:
        case Placement::maybe:
            // A mark without anything to stand on isn't part of a word.
            if (!buffer_.run_is_open() && folding.text_class() == TextClass::mark) {
                break;
            }
            if (folding.placement() == Placement::maybe && compose_with_last(decoded)) {
                break;
            }
            if (folding.placement() == Placement::maybe ||
                folding.combining_class() < last_class_) {
                cut_segment(decoded);
                return;
            }
            buffer_.append_raw(bytes);
            last_class_ = folding.combining_class();
            break;
        }
        at_ += decoded.length;
    }

    // The usual case: a letter and one mark that have a composite.
    bool compose_with_last(const Decoded& mark) {
        if (!buffer_.run_is_open() || last_class_ != 0) {
            return false;
        }
        const std::string_view last = buffer_.last_code_point();
        const char32_t starter = detail::decode(last.data(), last.size()).cp;
        const char32_t composed = detail::composite(starter, mark.cp);
        if (composed == 0) {
            return false;
        }
        char bytes[4];
        buffer_.take_off(last.size());
        buffer_.append_raw({bytes, detail::encode(composed, bytes)});
        return true;
    }

    void cut_mapped(const Decoded& decoded, Folding folding) {
        switch (folding.mapping_kind()) {
        case MappingKind::word: buffer_.append(TextClass::word, folding.mapped()); break;
        case MappingKind::cjk: buffer_.append(TextClass::cjk, folding.mapped()); break;
        case MappingKind::separators: buffer_.end_run(); break;
        case MappingKind::mixed: append_each(folding.mapped()); break;
        case MappingKind::segment: cut_segment(decoded); return;
        }
        last_class_ = 0;
        at_ += decoded.length;
    }

    void append_each(std::string_view folded) {
        while (!folded.empty()) {
            const Decoded decoded = detail::decode(folded.data(), folded.size());
            buffer_.append(Folding::of(decoded.cp).text_class(), folded.substr(0, decoded.length));
            folded.remove_prefix(decoded.length);
        }
    }

    // The code point at at_ and all that may be sorted or composed with it, also before it.
    void cut_segment(const Decoded& first) {
        segment_.clear();
        const bool reopens = buffer_.run_is_open() && detail::begins_with_combining(first.cp);
        if (reopens) {
            take_back();
        }
        segment_.add_folded(first.cp);
        at_ += first.length;
        add_combining();
        segment_.compose();
        for (std::size_t i = 0; i < segment_.size(); ++i) {
            meter_.add(1);
            char bytes[4];
            const std::string_view character{bytes, detail::encode(segment_[i], bytes)};
            const Folding folding = Folding::of(segment_[i]);
            if (reopens && i == 0) {
                buffer_.append_raw(character);
            } else {
                buffer_.append(folding.text_class(), character);
            }
            last_class_ = folding.combining_class();
        }
    }

    // Moves the last starter of the open run, and the marks behind it, into the segment.
    void take_back() {
        std::size_t taken = 0;
        bool starts = false;
        while (!starts) {
            const std::string_view last = buffer_.last_code_point();
            starts = combining_class_of(last) == 0;
            buffer_.take_off(last.size());
            taken += last.size();
            meter_.add(1);
        }
        const std::string_view all{buffer_.tail(), taken};  // they still lie there
        for (std::size_t at = 0; at < taken;) {
            const Decoded decoded = detail::decode(all.data() + at, taken - at);
            segment_.add_folded(decoded.cp);
            at += decoded.length;
            meter_.add(1);
        }
    }

    static std::uint8_t combining_class_of(std::string_view character) noexcept {
        return Folding::of(detail::decode(character.data(), character.size()).cp).combining_class();
    }

    void add_combining() {
        while (at_ < text_.size() && !is_ascii(text_[at_])) {
            const Decoded next = detail::decode_at(text_, at_);
            const bool ignorable = Folding::of(next.cp).is_ignorable();
            if (ignorable ? next.cp == detail::kZeroWidthSpace
                          : !detail::begins_with_combining(next.cp)) {
                return;
            }
            segment_.add_folded(next.cp);
            at_ += next.length;
            meter_.add(1);
        }
    }

    detail::FoldAscii fold_ascii_;
    std::string_view text_;
    std::size_t at_ = 0;
    std::uint8_t last_class_ = 0;  // combining class of the last code point written
    detail::WordBuffer buffer_;
    detail::Segment segment_;
    detail::Meter meter_;
};

TokenStream::TokenStream(Isa isa) : state_(std::make_unique<State>(isa)) {}
TokenStream::TokenStream(TokenStream&&) noexcept = default;
TokenStream& TokenStream::operator=(TokenStream&&) noexcept = default;
TokenStream::~TokenStream() = default;

void TokenStream::start(std::string_view text) { state_->start(text); }

std::span<const std::string_view> TokenStream::next() { return state_->next(); }

}  // namespace gnomon
