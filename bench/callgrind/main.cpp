// Runs one piece of work under Callgrind, which counts while gnomon_counted is running:
//   driver                 lists the works
//   driver --compiler      says which compiler made it
//   driver NAME            prepares and runs a work
#include <cstdio>
#include <string>

#include "work.hpp"

using gnomon::counting::Counted;
using gnomon::counting::Work;

extern "C" [[gnu::noinline]] std::size_t gnomon_counted(const Counted& work) { return work(); }

namespace {

std::vector<Work> all_works() {
    std::vector<Work> works = gnomon::counting::vector_works();
    for (Work& work : gnomon::counting::list_works()) {
        works.push_back(std::move(work));
    }
    return works;
}

const char* compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

}  // namespace

int main(int argc, char** argv) {
    const std::string name = argc > 1 ? argv[1] : "";
    if (name == "--compiler") {
        std::puts(compiler());
        return 0;
    }
    for (const Work& work : all_works()) {
        if (name.empty()) {
            std::puts(work.name.c_str());
        } else if (name == work.name) {
            const Counted counted = work.prepare();
            std::printf("%zu\n", gnomon_counted(counted));
            return 0;
        }
    }
    return name.empty() ? 0 : 2;
}
