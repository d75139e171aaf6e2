// What an index owns: the data where it lies, and what checks it before it is used.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bm25/file_guard.hpp"
#include "bm25/formula.hpp"
#include "bm25/layout.hpp"
#include "cosine/buffer.hpp"
#include "cosine/index_reader.hpp"
#include "gnomon/bm25.hpp"

namespace gnomon::detail::bm25 {

struct Workspace;

// Workspaces that no search uses at the moment: making one costs as much as a short query.
class SpareWorkspaces {
  public:
    SpareWorkspaces();
    ~SpareWorkspaces();
    SpareWorkspaces(const SpareWorkspaces&) = delete;
    SpareWorkspaces& operator=(const SpareWorkspaces&) = delete;

    std::unique_ptr<Workspace> take();
    // Only after a search that came to its end.
    void give_back(std::unique_ptr<Workspace> workspace);

  private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Workspace>> spare_;
};

struct IndexData {
    IndexView view;
    std::unique_ptr<FileGuard> guard;  // null when the index was built here
    Buffer built;
    std::vector<unsigned char> bytes;
    std::unique_ptr<MappedFile> file;
    mutable SpareWorkspaces workspaces;

    TermPart part() const noexcept {
        return {view.shape.settings, view.shape.docs, view.shape.tokens};
    }
};

}  // namespace gnomon::detail::bm25
