#include "cosine/request_checks.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

#include "gnomon/steps.hpp"

namespace gnomon::detail {

namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument("cosine_top_k: " + what);
}

void check_rows(std::span<const std::int64_t> listed, std::size_t rows, const char* name) {
    Meter meter;
    for (const std::int64_t row : listed) {
        meter.add(1);
        if (row < 0 || static_cast<std::uint64_t>(row) >= rows) {
            refuse(std::string(name) + " names row " + std::to_string(row) + ", but there are " +
                   std::to_string(rows));
        }
    }
}

void check_exclusions(const SearchRequest& request, std::size_t rows) {
    const auto offsets = request.exclude_offsets;
    if (offsets.empty()) {
        return;
    }
    bool fits = offsets.size() == request.queries.rows + 1 && offsets.front() == 0 &&
                offsets.back() == static_cast<std::int64_t>(request.exclude_rows.size());
    for (std::size_t q = 0; fits && q + 1 < offsets.size(); ++q) {
        fits = offsets[q] <= offsets[q + 1];
    }
    if (!fits) {
        refuse("the exclusions need " + std::to_string(request.queries.rows + 1) +
               " ascending offsets that end at " + std::to_string(request.exclude_rows.size()));
    }
    check_rows(request.exclude_rows, rows, "exclude");
}

}  // namespace

void check_search(std::size_t rows, std::size_t cols, std::span<const SearchRequest> requests,
                  const SearchOptions& options) {
    if (!options.row_labels.empty() && options.row_labels.size() != rows) {
        refuse("row_labels has " + std::to_string(options.row_labels.size()) + " labels for " +
               std::to_string(rows) + " rows");
    }
    for (const SearchRequest& request : requests) {
        if (request.queries.cols != cols) {
            refuse("queries have " + std::to_string(request.queries.cols) +
                   " columns, documents have " + std::to_string(cols));
        }
        if (request.k < 1) {
            refuse("k is 0; it must be at least 1");
        }
        if (request.row_class && options.row_labels.empty() && rows > 0) {
            refuse("a row class needs row_labels");
        }
        check_exclusions(request, rows);
    }
    if (options.subset) {
        check_rows(*options.subset, rows, "subset");
        Meter meter;
        for (std::size_t i = 1; i < options.subset->size(); ++i) {
            meter.add(1);
            if ((*options.subset)[i - 1] >= (*options.subset)[i]) {
                refuse("subset must be ascending and distinct");
            }
        }
    }
}

}  // namespace gnomon::detail
