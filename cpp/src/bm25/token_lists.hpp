// Access to lists of tokens.
#pragma once

#include <span>
#include <string_view>

#include "gnomon/bm25.hpp"

namespace gnomon::detail::bm25 {

// Throws std::invalid_argument unless the offsets are as the header of the kernel asks.
void check_token_lists(const TokenLists& lists, const char* what);

inline std::span<const std::string_view> list_of(const TokenLists& lists, std::size_t i) noexcept {
    const auto begin = static_cast<std::size_t>(lists.offsets[i]);
    return lists.tokens.subspan(begin, static_cast<std::size_t>(lists.offsets[i + 1]) - begin);
}

}  // namespace gnomon::detail::bm25
