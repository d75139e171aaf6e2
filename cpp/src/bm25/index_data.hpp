// What an index owns: the data where it lies, and what checks it before it is used.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bm25/file_guard.hpp"
#include "bm25/formula.hpp"
#include "bm25/layout.hpp"
#include "cosine/buffer.hpp"
#include "cosine/index_reader.hpp"
#include "gnomon/bm25.hpp"

namespace gnomon::detail::bm25 {

struct IndexData {
    IndexView view;
    std::unique_ptr<FileGuard> guard;  // null when the index was built here
    Buffer built;
    std::vector<unsigned char> bytes;
    std::unique_ptr<MappedFile> file;

    TermPart part() const noexcept {
        return {view.shape.settings, view.shape.docs, view.shape.tokens};
    }
};

}  // namespace gnomon::detail::bm25
