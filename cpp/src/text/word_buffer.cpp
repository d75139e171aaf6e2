#include "text/word_buffer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "gnomon/text.hpp"
#include "gnomon/utf8.hpp"

namespace gnomon::detail {

void WordBuffer::clear() noexcept {
    count_ = 0;
    size_ = 0;
    run_ = Run::none;
}

void WordBuffer::drop_tokens() noexcept {
    const std::size_t kept_from = run_ == Run::none ? size_ : begin_;
    if (kept_from != 0) {
        std::memmove(bytes_.data(), bytes_.data() + kept_from, size_ - kept_from);
        size_ -= kept_from;
        begin_ = 0;
        last_cjk_ -= std::min(last_cjk_, kept_from);
    }
    count_ = 0;
}

void WordBuffer::grow(std::size_t bytes) {
    const char* old = bytes_.data();
    bytes_.resize(std::max(size_ + bytes + kTailSlack, 2 * bytes_.size()));
    for (std::size_t i = 0; i < count_; ++i) {
        tokens_[i] = {bytes_.data() + (tokens_[i].data() - old), tokens_[i].size()};
    }
}

void WordBuffer::take_ascii(std::uint64_t words, std::size_t valid) {
    if (run_ == Run::cjk) {
        end_run();
    }
    const std::uint64_t before = words << 1U | std::uint64_t{run_ == Run::word};
    std::uint64_t starts = words & ~before;
    std::uint64_t ends = ~words & before;
    if (valid < 64) {
        const std::uint64_t inside = (std::uint64_t{1} << valid) - 1U;
        starts &= inside;
        ends &= inside;
    }
    if (count_ + 32 > tokens_.size()) {
        tokens_.resize(2 * count_ + 64);
    }
    const auto place_of = [&](std::uint64_t bits) {
        return size_ + static_cast<std::size_t>(std::countr_zero(bits));
    };
    if (run_ == Run::none && starts != 0) {
        begin_ = place_of(starts);
        starts &= starts - 1;
    }
    const char* bytes = bytes_.data();
    for (; ends != 0; ends &= ends - 1) {
        tokens_[count_++] = {bytes + begin_, place_of(ends) - begin_};
        if (starts != 0) {
            begin_ = place_of(starts);
            starts &= starts - 1;
        }
    }
    run_ = (words >> (valid - 1) & 1U) != 0 ? Run::word : Run::none;
    size_ += valid;
}

std::string_view WordBuffer::last_code_point() const noexcept {
    const char* end = bytes_.data() + size_;
    const char* begin = end - 1;
    while (continues(*begin)) {
        --begin;
    }
    return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace gnomon::detail
