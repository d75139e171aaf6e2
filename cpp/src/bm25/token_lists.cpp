#include "bm25/token_lists.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace gnomon::detail::bm25 {

void check_token_lists(const TokenLists& lists, const char* what) {
    const auto offsets = lists.offsets;
    const bool right = offsets.empty()
                           ? lists.tokens.empty()
                           : offsets.front() == 0 && offsets.back() == lists.tokens.size() &&
                                 std::is_sorted(offsets.begin(), offsets.end());
    if (!right) {
        throw std::invalid_argument(std::string("bm25: the offsets of the ") + what +
                                    " must start at 0, never fall and end at the number of tokens");
    }
}

}  // namespace gnomon::detail::bm25
