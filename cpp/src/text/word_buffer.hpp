// The folded bytes of a text while they are cut into words: what is open, and what is finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "text/tables/tables.hpp"

namespace gnomon::detail {

class WordBuffer {
  public:
    // Forgets everything.
    void clear() noexcept;

    // Forgets the finished tokens and moves the open run to the front.
    void drop_tokens() noexcept;

    std::span<const std::string_view> tokens() const noexcept { return {tokens_.data(), count_}; }

    // Room for so many bytes, and kReadableBehind more, at tail().
    void reserve(std::size_t bytes) {
        if (bytes_.size() - size_ < bytes + kTailSlack) {
            grow(bytes);
        }
    }
    char* tail() noexcept { return bytes_.data() + size_; }

    // `valid` ASCII bytes lie at tail(), at most 64; bit i of `words` is set where byte i is of a
    // word.
    void take_ascii(std::uint64_t words, std::size_t valid);

    // One folded character, or letters and marks of one word.
    void append(TextClass text_class, std::string_view bytes) {
        switch (text_class) {
        case TextClass::separator: end_run(); return;
        case TextClass::mark:
            if (run_ == Run::none) {
                return;
            }
            break;
        case TextClass::word:
            if (run_ != Run::word) {
                end_run();
                run_ = Run::word;
                begin_ = size_;
            }
            break;
        case TextClass::cjk: begin_cjk_character(); break;
        }
        append_raw(bytes);
    }

    // More bytes of the character that is open.
    void append_raw(std::string_view bytes) {
        reserve(bytes.size());
        char* to = tail();
        switch (bytes.size()) {  // nearly always 2 or 3, for which a call is a detour
        case 3: to[2] = bytes[2]; [[fallthrough]];
        case 2: to[1] = bytes[1]; [[fallthrough]];
        case 1: to[0] = bytes[0]; break;
        default: std::memcpy(to, bytes.data(), bytes.size()); break;
        }
        size_ += bytes.size();
    }

    bool run_is_open() const noexcept { return run_ != Run::none; }
    bool run_is_cjk() const noexcept { return run_ == Run::cjk; }
    void end_run() {
        if (run_ != Run::none) {
            finish(begin_, size_);
            run_ = Run::none;
        }
    }

    // The last character of the open run, in bytes; it may be taken off.
    std::string_view last_code_point() const noexcept;
    void take_off(std::size_t bytes) noexcept { size_ -= bytes; }

  private:
    enum class Run : std::uint8_t { none, word, cjk };

    static constexpr std::size_t kTailSlack = 64 + 16;

    void grow(std::size_t bytes);
    void begin_cjk_character() {
        if (run_ != Run::cjk) {
            end_run();
            run_ = Run::cjk;
            has_two_characters_ = false;
            begin_ = size_;
        } else {
            if (has_two_characters_) {
                finish(begin_, size_);
            }
            has_two_characters_ = true;
            begin_ = last_cjk_;
        }
        last_cjk_ = size_;
    }
    void finish(std::size_t begin, std::size_t end) {
        if (count_ == tokens_.size()) {
            tokens_.resize(count_ < 32 ? 64 : 2 * count_);
        }
        tokens_[count_++] = {bytes_.data() + begin, end - begin};
    }

    std::vector<char> bytes_;
    std::vector<std::string_view> tokens_;
    std::size_t count_ = 0;
    std::size_t size_ = 0;
    Run run_ = Run::none;
    bool has_two_characters_ = false;
    std::size_t begin_ = 0;  // of the word, or of the last but one CJK character
    std::size_t last_cjk_ = 0;
};

}  // namespace gnomon::detail
