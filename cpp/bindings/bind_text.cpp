// Bindings of text.
#include "gnomon/text.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "gnomon/steps.hpp"
#include "python_text.hpp"

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

// Between two looks at the interruption.
constexpr std::size_t kTextsPerBlock = 1024;
constexpr std::size_t kCharactersPerBlock = std::size_t{1} << 20U;

// work(utf8) with the text of a call that has only one. Holds the GIL.
template <typename Work>
auto with_utf8(const py::handle text, Work&& work) {
    std::string scratch;
    try {
        return interruptible([&](const Interrupted& /*stop*/) {
            return std::forward<Work>(work)(utf8_of(text_view(text, "text"), scratch));
        });
    } catch (const LoneSurrogate& surrogate) {
        surrogate.refuse("text");
    }
}

void append(py::list& list, PyObject* item) {
    const int failed = PyList_Append(list.ptr(), item);
    Py_DECREF(item);
    if (failed != 0) {
        throw py::error_already_set();
    }
}

py::list bind_text_words(const py::object& text) {
    return with_utf8(text, [](std::string_view utf8) {
        py::list words;
        TokenStream stream;
        stream.start(utf8);
        for (auto tokens = stream.next(); !tokens.empty(); tokens = stream.next()) {
            for (const std::string_view token : tokens) {
                append(words, new_str(token));
            }
            if (PyErr_CheckSignals() != 0) {
                throw py::error_already_set();
            }
        }
        return words;
    });
}

py::str bind_nfkc_casefold(const py::object& text) {
    return with_utf8(text, [](std::string_view utf8) {
        return py::reinterpret_steal<py::str>(new_str(nfkc_casefold(utf8)));
    });
}

struct TextWorker {
    TokenStream stream;
    std::string scratch;
};

// Where every block of texts begins, and the end.
std::vector<std::size_t> block_bounds(const TextRows& rows) {
    std::vector<std::size_t> bounds{0};
    std::size_t characters = 0;
    detail::Meter meter;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        meter.add(1);
        characters += rows.length(row);
        if (characters >= kCharactersPerBlock || row + 1 - bounds.back() == kTextsPerBlock) {
            bounds.push_back(row + 1);
            characters = 0;
        }
    }
    if (bounds.back() != rows.size()) {
        bounds.push_back(rows.size());
    }
    return bounds;
}

std::int64_t count_words(const TextRows& rows, std::size_t row, TextWorker& worker) {
    std::size_t count = 0;
    worker.stream.start(rows.utf8(row, worker.scratch));
    for (auto tokens = worker.stream.next(); !tokens.empty(); tokens = worker.stream.next()) {
        count += tokens.size();
    }
    return static_cast<std::int64_t>(count);
}

Contiguous<std::int64_t> bind_word_counts(const py::list& texts, int threads) {
    const TextRows rows =
        interruptible([&](const Interrupted& /*stop*/) { return TextRows(texts, "texts"); });
    Contiguous<std::int64_t> out(static_cast<py::ssize_t>(rows.size()));
    const auto counts = writable_span_of(out);
    without_gil([&](const Interrupted& stop) {
        const std::vector<std::size_t> bounds = block_bounds(rows);
        std::vector<std::unique_ptr<TextWorker>> workers(static_cast<std::size_t>(threads));
        parallel_for(bounds.size() - 1, threads, stop, [&](std::size_t block, int worker) {
            auto& mine = workers[static_cast<std::size_t>(worker)];
            if (!mine) {
                mine = std::make_unique<TextWorker>();
            }
            for (std::size_t row = bounds[block]; row < bounds[block + 1]; ++row) {
                counts[row] = count_words(rows, row, *mine);
            }
        });
    });
    return out;
}

}  // namespace

void register_text(py::module_& m) {
    m.def("text_words", bind_text_words, py::arg("text"));
    m.def("nfkc_casefold", bind_nfkc_casefold, py::arg("text"));
    m.def("word_counts", bind_word_counts, py::arg("texts"), py::arg("threads"));
    m.def("unicode_version", unicode_version);
    m.def("text_rules", [] { return kTextRules; });
}

}  // namespace gnomon::bindings
