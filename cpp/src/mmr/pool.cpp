#include "mmr/pool.hpp"

#include <algorithm>
#include <cmath>

#include "cosine/row_source.hpp"
#include "gnomon/steps.hpp"
#include "score/rows.hpp"

namespace gnomon::detail {

namespace {

// A pool that has to be converted is kept converted up to this size, 16 MiB a worker.
constexpr std::size_t kMostConverted = std::size_t{1} << 22U;

constexpr std::size_t kRowsAtOnce = 16;

constexpr double kUnit = 0x1p-24;
constexpr double kMostDotError = 0.05;
constexpr double kLeastNorm = 0x1p-30;
constexpr double kMostNorm = 0x1p30;

bool is_in_range(double norm) noexcept { return norm >= kLeastNorm && norm <= kMostNorm; }

}  // namespace

std::optional<std::size_t> first_nonfinite_row(const PoolSource& source) {
    std::optional<std::size_t> first;
    Meter meter;
    for (std::size_t i = 0; i < source.size(); ++i) {
        meter.add(source.matrix->cols);
        const auto row = static_cast<std::size_t>(source.id(i));
        if ((!first || row < *first) && !row_is_finite(*source.matrix, row)) {
            first = row;
        }
    }
    return first;
}

Pool::Pool(Isa isa, std::size_t cols)
    : isa_(isa), cols_(cols), exact_(score_kernel(isa)),
      cheap_(float_dot_kernel(isa == Isa::avx512 ? Isa::avx2 : isa)), row_dots_(row_dots(isa)),
      query_scratch_(2 * cols), scratch_(2 * cols) {
    const double dot_error = float_dot_error(cols);
    cheap_error_ = dot_error <= kMostDotError
                       ? static_cast<float>((3.0 * dot_error + 16.0 * kUnit) * (1.0 + 0x1p-20))
                       : 0.0F;
}

bool Pool::load_query(const MatrixView& queries, std::size_t query) {
    query_ = row_f32(queries, query, query_scratch_.data(), isa_);
    query_norm_ = detail::norm(exact_, query_, cols_);
    return std::isfinite(query_norm_);
}

void Pool::load_rows(const PoolSource& source) {
    source_ = source;
    in_place_ = stands_as_floats(*source.matrix);
    converted_.clear();
    const std::size_t n = source.size();
    if (!in_place_ && cols_ > 0 && n <= kMostConverted / cols_) {
        converted_.resize(n * cols_);
        for (std::size_t i = 0; i < n; ++i) {
            float* target = converted_.data() + i * cols_;
            const float* values =
                row_f32(*source.matrix, static_cast<std::size_t>(id(i)), target, isa_);
            if (values != target) {
                std::copy_n(values, cols_, target);
            }
        }
    }
}

const float* Pool::row(std::size_t member, float* scratch) const noexcept {
    if (!converted_.empty()) {
        return converted_.data() + member * cols_;
    }
    const std::int64_t at = id(member);
    if (in_place_) {
        return reinterpret_cast<const float*>(static_cast<const char*>(source_.matrix->data) +
                                              at * source_.matrix->row_stride);
    }
    return row_f32(*source_.matrix, static_cast<std::size_t>(at), scratch, isa_);
}

bool Pool::measure(bool wants_similarities, Meter& meter) {
    const std::size_t n = size();
    resize_in_steps(inverse_norms_, n);
    resize_in_steps(relevances_, n);
    assign_in_steps(norms_, n, -1.0);
    to_front_.clear();
    exact_only_ = cheap_error_ == 0.0F || !measure_cheaply(wants_similarities && n > 1, meter);
    error_ = exact_only_ ? 0.0F : cheap_error_;
    if (exact_only_) {
        to_front_.clear();
    }
    return !exact_only_ || measure_exactly(meter);
}

bool Pool::measure_cheaply(bool wants_similarities, Meter& meter) {
    if (query_norm_ != 0.0 && !is_in_range(query_norm_)) {
        return false;
    }
    inverse_query_norm_ = query_norm_ == 0.0 ? 0.0F : static_cast<float>(1.0 / query_norm_);
    const std::size_t n = size();
    const float* asked = query_;
    if (wants_similarities) {
        std::copy_n(query_, query_ == query_scratch_.data() ? 0 : cols_, query_scratch_.data());
        std::copy_n(row(0, scratch_.data()), cols_, query_scratch_.data() + cols_);
        asked = query_scratch_.data();
        resize_in_steps(to_front_, n);
    }
    const float* rows[kRowsAtOnce];
    float dots[2 * kRowsAtOnce];
    float norms[kRowsAtOnce];
    const std::size_t step = keeps_rows() ? kRowsAtOnce : 1;
    for (std::size_t first = 0; first < n; first += step) {
        const std::size_t count = std::min(step, n - first);
        for (std::size_t i = 0; i < count; ++i) {
            rows[i] = row(first + i, scratch_.data());
        }
        cheap_.scan(asked, to_front_.empty() ? 1 : 2, rows, count, cols_, dots, norms);
        if (!take_measures(first, count, rows, dots, norms)) {
            return false;
        }
        if (first == 0 && *std::max_element(relevances_.begin(),
                                            relevances_.begin() + static_cast<std::ptrdiff_t>(
                                                                      count)) > relevances_[0]) {
            to_front_.clear();  // this pool isn't sorted: another row will be picked first
        }
        meter.add(count * cols_);
    }
    return true;
}

// False when a norm is too small or too large for cheap cosines, or isn't finite.
bool Pool::take_measures(std::size_t first, std::size_t count, const float* const* rows,
                         const float* dots, const float* norms) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t member = first + i;
        if (is_in_range(static_cast<double>(norms[i]))) {
            inverse_norms_[member] = 1.0F / norms[i];
        } else if (norm(member, rows[i]) == 0.0) {
            inverse_norms_[member] = 0.0F;
        } else {
            return false;
        }
        relevances_[member] = dots[i] * inverse_norms_[member] * inverse_query_norm_;
        if (!to_front_.empty()) {
            to_front_[member] = dots[count + i] * inverse_norms_[member] * inverse_norms_[0];
        }
    }
    return true;
}

bool Pool::measure_exactly(Meter& meter) {
    for (std::size_t i = 0; i < size(); ++i) {
        if (!std::isfinite(norm(i, row(i, scratch_.data())))) {
            return false;
        }
        relevances_[i] = relevance(i);
        meter.add(2 * cols_);
    }
    return true;
}

double Pool::norm(std::size_t member, const float* values) noexcept {
    double& known = norms_[member];
    if (known < 0.0) {
        known = detail::norm(exact_, values, cols_);
    }
    return known;
}

float Pool::relevance(std::size_t member) noexcept {
    if (query_norm_ == 0.0) {
        return 0.0F;
    }
    const float* values = row(member, scratch_.data());
    return cosine(exact_.dot(query_, values, cols_), query_norm_, norm(member, values));
}

void Pool::cheap_similarities(std::size_t member, std::span<const std::uint32_t> others,
                              float* out) noexcept {
    if (exact_only_ || !keeps_rows()) {
        for (std::size_t i = 0; i < others.size(); ++i) {
            out[i] = cheap_similarity(member, others[i]);
        }
        return;
    }
    const float* rows[kRowsAtOnce];
    const float* values = row(member, nullptr);
    for (std::size_t first = 0; first < others.size(); first += kRowsAtOnce) {
        const std::size_t n = std::min(kRowsAtOnce, others.size() - first);
        for (std::size_t i = 0; i < n; ++i) {
            rows[i] = row(others[first + i], nullptr);
        }
        row_dots_(values, rows, n, cols_, out + first);
        for (std::size_t i = 0; i < n; ++i) {
            out[first + i] *= inverse_norms_[member] * inverse_norms_[others[first + i]];
        }
    }
}

float Pool::cheap_similarity(std::size_t a, std::size_t b) noexcept {
    if (exact_only_) {
        return similarity(a, b);
    }
    const float* a_values = row(a, scratch_.data());
    const float* b_values = row(b, scratch_.data() + cols_);
    return cheap_.dot(a_values, b_values, cols_) * inverse_norms_[a] * inverse_norms_[b];
}

float Pool::similarity(std::size_t a, std::size_t b) noexcept {
    const float* a_values = row(a, scratch_.data());
    const float* b_values = row(b, scratch_.data() + cols_);
    return cosine(exact_.dot(a_values, b_values, cols_), norm(a, a_values), norm(b, b_values));
}

}  // namespace gnomon::detail
