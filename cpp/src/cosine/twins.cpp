#include "cosine/twins.hpp"

#include <algorithm>
#include <cstring>

namespace gnomon::detail {

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15ULL;

}  // namespace

bool Twins::are_copies(std::size_t a, std::size_t b) {
    if (guard_ != nullptr) {
        guard_->touch_row(a);
        guard_->touch_row(b);
    }
    const auto start_of = [this](std::size_t row) {
        return static_cast<const char*>(docs_.data) +
               static_cast<std::ptrdiff_t>(row) * docs_.row_stride;
    };
    const std::size_t bytes = docs_.cols * item_size(docs_.dtype);
    return std::memcmp(start_of(a), start_of(b), bytes) == 0;
}

std::size_t Twins::original_of(std::size_t at, std::size_t row, std::uint64_t key) {
    if (!comparable_) {
        return row;
    }
    originals_.resize(group_rows_, kNone);
    if (originals_[at] == kNone) {
        originals_[at] = find(row, key);
    }
    return originals_[at];
}

void Twins::TileCopies::add(std::size_t original, unsigned row) noexcept {
    if (original == kNone) {
        return;
    }
    for (Copies& some : std::span(copies).first(count)) {
        if (some.original == original) {
            some.rows |= row;
            return;
        }
    }
    if (count < copies.size()) {
        copies[count++] = {original, row};
    }
}

// A row that has copies stays in the table for a while when other rows want its place.
std::size_t Twins::find(std::size_t row, std::uint64_t key) {
    if (table_.empty()) {
        table_.resize(std::size_t{1} << kTableBits);
    }
    Met& met = table_[(key * kGoldenRatio) >> (64U - kTableBits)];
    if (met.row != kNone && met.key == key && are_copies(met.row, row)) {
        ++met.copies;
        return met.row;
    }
    if (met.copies > 0) {
        --met.copies;
    } else {
        met = {key, row, 0};
    }
    return row;
}

float TwinScores::score_of(std::size_t row, RowScorer& scorer) {
    Known* place = &known_[0];
    for (Known& known : known_) {
        if (known.asked > 0 && known.row == row) {
            place = &known;
            break;
        }
        if (known.asked < place->asked) {
            place = &known;
        }
    }
    if (place->asked == 0 || place->row != row) {
        if (place->asked > 0) {
            --place->asked;
        } else {
            *place = {row, 1, 0.0F};
        }
        return kUnknownScore;
    }
    if (place->asked > kAskedOften) {
        return place->score;
    }
    if (++place->asked <= kAskedOften) {
        return kUnknownScore;
    }
    Candidate original{kInfinity, -kInfinity, static_cast<std::int64_t>(row)};
    scorer.score({&original, 1}, -kInfinity);
    place->score = original.upper;
    return place->score;
}

}  // namespace gnomon::detail
