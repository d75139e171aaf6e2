// From counts by document to postings by term.
#pragma once

#include <string>

#include "bm25/gathered.hpp"
#include "bm25/index_data.hpp"
#include "gnomon/threads.hpp"

namespace gnomon::detail::bm25 {

// Fills `built`, which is empty. The data depends on the documents, settings and note only.
void invert(const Gathered& gathered, const std::string& note, int threads,
            const Interrupted& interrupted, IndexData& built);

}  // namespace gnomon::detail::bm25
