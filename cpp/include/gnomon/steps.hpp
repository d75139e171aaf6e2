// Long work in steps, with a look at the interruption between them: what a block does for as long
// as its input is large. Each look costs some 30 nanoseconds, a step a few milliseconds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

#include "gnomon/threads.hpp"

namespace gnomon::detail {

// Elements, of a few nanoseconds each.
inline constexpr std::size_t kStep = std::size_t{1} << 20U;

// Fewer elements than this are sorted before anybody misses an answer.
inline constexpr std::size_t kFewToSort = std::size_t{1} << 17U;

// Counts work that comes in small portions, and looks whenever there was enough of it.
class Meter {
  public:
    // Throws Interruption.
    void add(std::size_t elements) {
        done_ += elements;
        if (done_ >= kStep) {
            done_ = 0;
            check_interruption();
        }
    }

  private:
    std::size_t done_ = 0;
};

// Stands in for a Meter where there is too little work to look.
struct NoMeter {
    void add(std::size_t /*elements*/) const noexcept {}
};

// work(meter) with a Meter for more than one step of elements, else with one that costs nothing:
// for loops that are mostly short.
template <typename Work>
[[gnu::always_inline]] inline auto metered(std::size_t n, const Work& work) {
    return n <= kStep ? work(NoMeter()) : work(Meter());
}

// Consecutive ranges that cover [0, n), with a look between them:
//
//     for (const auto [begin, end] : steps(n)) {
//
// Loops over elements stay plain loops, so that a look costs nothing where it isn't needed.
class Steps {
  public:
    struct Range {
        std::size_t begin;
        std::size_t end;
    };

    class Iterator {
      public:
        Iterator(std::size_t n, std::size_t step) noexcept
            : n_(n), step_(step), range_{0, std::min(n, step)} {}

        Range operator*() const noexcept { return range_; }
        bool operator!=(std::default_sentinel_t /*end*/) const noexcept {
            return range_.begin < n_;
        }

        // Throws Interruption.
        Iterator& operator++() {
            range_.begin = range_.end;
            if (range_.begin < n_) {
                check_interruption();
                range_.end += std::min(step_, n_ - range_.begin);
            }
            return *this;
        }

      private:
        std::size_t n_;
        std::size_t step_;
        Range range_;
    };

    Steps(std::size_t n, std::size_t step) noexcept : n_(n), step_(step) {}
    Iterator begin() const noexcept { return {n_, step_}; }
    static std::default_sentinel_t end() noexcept { return {}; }

  private:
    std::size_t n_;
    std::size_t step_;
};

// Elements that are worth `weight` ordinary ones each.
inline Steps steps(std::size_t n, std::size_t weight = 1) noexcept {
    return {n, std::max<std::size_t>(1, kStep / std::max<std::size_t>(1, weight))};
}

// Of a vector or a string that becomes much larger: memory is handed out when it is first written.
template <typename Values, typename... Value>
[[gnu::noinline]] void grow_in_steps(Values& values, std::size_t n, const Value&... value) {
    values.reserve(n);
    while (n - values.size() > kStep) {
        values.resize(values.size() + kStep, value...);
        check_interruption();
    }
    values.resize(n, value...);
}

// values.resize(n, value...).
template <typename Values, typename... Value>
[[gnu::always_inline]] inline void resize_in_steps(Values& values, std::size_t n,
                                                   const Value&... value) {
    if (n <= values.size() + kStep) {
        values.resize(n, value...);
    } else {
        grow_in_steps(values, n, value...);
    }
}

// values.assign(n, value).
template <typename Values, typename Value>
[[gnu::always_inline]] inline void assign_in_steps(Values& values, std::size_t n,
                                                   const Value& value) {
    if (n <= kStep) {
        values.assign(n, value);
    } else {
        values.clear();
        grow_in_steps(values, n, value);
    }
}

template <typename T>
void fill_in_steps(std::span<T> values, const T& value) {
    for (const auto [begin, end] : steps(values.size())) {
        std::fill_n(values.data() + begin, end - begin, value);
    }
}

// Appends all of `more`.
template <typename T>
void append_in_steps(std::vector<T>& values, const std::vector<T>& more) {
    for (const auto [begin, end] : steps(more.size())) {
        values.insert(values.end(), more.data() + begin, more.data() + end);
    }
}

// arrange(less) with a comparison that also looks. Afterwards, if it was interrupted, the order of
// the elements means nothing, and one may be there twice.
template <typename Less, typename Arrange>
[[gnu::noinline]] void arrange_many(Less less, Arrange arrange) {
    Meter meter;
    arrange([&meter, less](const auto& a, const auto& b) {
        meter.add(1);
        return less(a, b);
    });
}

// The same, if there are many elements to arrange.
template <typename Less, typename Arrange>
[[gnu::always_inline]] inline void arrange_in_steps(std::size_t n, Less less, Arrange arrange) {
    if (n <= kFewToSort) {
        arrange(less);
    } else {
        arrange_many(less, arrange);
    }
}

// std::sort.
template <typename Iterator, typename Less>
[[gnu::always_inline]] inline void sort_in_steps(Iterator first, Iterator last, Less less) {
    arrange_in_steps(static_cast<std::size_t>(last - first), less,
                     [=](auto before) { std::sort(first, last, before); });
}

// std::nth_element.
template <typename Iterator, typename Less>
[[gnu::always_inline]] inline void select_in_steps(Iterator first, Iterator nth, Iterator last,
                                                   Less less) {
    arrange_in_steps(static_cast<std::size_t>(last - first), less,
                     [=](auto before) { std::nth_element(first, nth, last, before); });
}

}  // namespace gnomon::detail
