// Bindings of the BM25 index; arguments were checked in Python, except for the tokens themselves,
// which only a compiled loop can look at quickly.
#include <pybind11/stl.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "call.hpp"
#include "gnomon/bm25.hpp"
#include "gnomon/steps.hpp"
#include "hit_arrays.hpp"
#include "python_text.hpp"

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

using Rows = Contiguous<std::int64_t>;

constexpr std::size_t kTokenWeight = 16;  // a str lies anywhere in memory

[[noreturn]] void refuse(const char* kind, const std::string& message) {
    const py::object error = py::module_::import("gnomon.errors").attr(kind);
    PyErr_SetString(error.ptr(), message.c_str());
    throw py::error_already_set();
}

// The string's UTF-8, which lives as long as the string. `what` and `row` are for messages.
std::string_view token_bytes(PyObject* token, const char* what, std::size_t row) {
    if (PyUnicode_Check(token) != 0 && PyUnicode_IS_COMPACT_ASCII(token)) {
        return {static_cast<const char*>(PyUnicode_DATA(token)),
                static_cast<std::size_t>(PyUnicode_GET_LENGTH(token))};
    }
    const std::string name = "row " + std::to_string(row) + " of " + what;
    const TextView view = text_view(token, name + ": a token");
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(token, &size);
    if (data == nullptr) {
        PyErr_Clear();
        std::string scratch;
        try {
            utf8_of(view, scratch);
        } catch (const LoneSurrogate& surrogate) {
            surrogate.refuse(name + ": a token");
        }
        throw std::bad_alloc();
    }
    return {data, static_cast<std::size_t>(size)};
}

// Views of the tokens of lists of str, and what keeps the lists alive.
class Tokens {
  public:
    // `first_row` is the number of the first list, for messages.
    Tokens(const py::list& lists, const char* what, std::size_t first_row) {
        offsets_.reserve(lists.size() + 1);
        offsets_.push_back(0);
        for (std::size_t i = 0; i < lists.size(); ++i) {
            append(PyList_GET_ITEM(lists.ptr(), static_cast<Py_ssize_t>(i)), what, first_row + i);
            offsets_.push_back(views_.size());
        }
    }

    TokenLists lists() const noexcept { return {views_, offsets_}; }
    std::span<const std::string_view> views() const noexcept { return views_; }

  private:
    void append(PyObject* list, const char* what, std::size_t row) {
        if (PyUnicode_Check(list) != 0 || PyBytes_Check(list) != 0) {
            refuse("InvalidTypeError",
                   std::string(what) + ": row " + std::to_string(row) + " is a " +
                       Py_TYPE(list)->tp_name +
                       "; expected a sequence of tokens: give texts without tokens=");
        }
        const auto sequence = py::reinterpret_steal<py::object>(PySequence_Fast(list, ""));
        if (!sequence) {
            if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
                throw py::error_already_set();
            }
            PyErr_Clear();
            refuse("InvalidTypeError", std::string(what) + ": row " + std::to_string(row) +
                                           " is a " + Py_TYPE(list)->tp_name +
                                           "; expected a sequence of tokens");
        }
        PyObject** items = PySequence_Fast_ITEMS(sequence.ptr());
        const auto size = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(sequence.ptr()));
        for (std::size_t i = 0; i < size; ++i) {
            meter_.add(kTokenWeight);
            views_.push_back(token_bytes(items[i], what, row));
        }
        if (sequence.ptr() != list || PyTuple_Check(list) == 0) {
            keep(sequence, items, size);
        }
    }

    // Whoever owns the list may change it while we work without the GIL: hold the tokens.
    void keep(const py::object& sequence, PyObject** items, std::size_t size) {
        (void)sequence;
        for (std::size_t i = 0; i < size; ++i) {
            meter_.add(kTokenWeight);
            kept_.push_back(py::reinterpret_borrow<py::object>(items[i]));
        }
    }

    std::vector<std::string_view> views_;
    std::vector<std::uint64_t> offsets_;
    std::vector<py::object> kept_;
    detail::Meter meter_;
};

Tokens tokens_of(const py::list& lists, const char* what, std::size_t first_row) {
    return interruptible(
        [&](const Interrupted& /*stop*/) { return Tokens(lists, what, first_row); });
}

TextRows text_rows_of(const py::list& texts, const char* what, std::size_t first_row) {
    return interruptible(
        [&](const Interrupted& /*stop*/) { return TextRows(texts, what, first_row); });
}

template <typename T>
py::array copy_of(const std::vector<T>& values) {
    return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

// A few hits are copied: handing memory over costs more.
HitArrays arrays_of(HitLists&& hits) {
    constexpr std::size_t kFew = 4096;
    if (hits.ids.size() > kFew) {
        return hit_arrays(std::move(hits));
    }
    return {copy_of(hits.ids), copy_of(hits.scores), copy_of(hits.offsets)};
}

// exclude offsets and rows, or nothing; the subset, or nothing; how to go about it
struct Restrictions {
    const std::optional<std::tuple<Rows, Rows>>& exclude;
    const std::optional<Rows>& subset;
};

template <typename Search>
HitArrays run(std::size_t k, const Restrictions& restrictions, int threads, int strategy,
              Search search) {
    BM25Request request;
    request.k = k;
    if (restrictions.exclude) {
        request.exclude_offsets = span_of(std::get<0>(*restrictions.exclude));
        request.exclude_rows = span_of(std::get<1>(*restrictions.exclude));
    }
    if (restrictions.subset) {
        request.subset = span_of(*restrictions.subset);
    }
    BM25Options options{static_cast<BM25Strategy>(strategy), threads, {}};
    HitLists hits = without_gil([&](const Interrupted& interrupted) {
        options.interrupted = interrupted;
        return search(request, options);
    });
    return arrays_of(std::move(hits));
}

void bind_builder(py::module_& m) {
    py::class_<BM25Builder>(m, "BM25Builder")
        .def(py::init([](int variant, double k1, double b, double delta) {
                 return BM25Builder({static_cast<BM25Variant>(variant), k1, b, delta});
             }),
             py::arg("variant"), py::arg("k1"), py::arg("b"), py::arg("delta"))
        .def(
            "add_tokens",
            [](BM25Builder& builder, const py::list& lists, int threads) {
                const Tokens tokens = tokens_of(lists, "tokens", builder.docs());
                without_gil(
                    [&](const Interrupted& stop) { builder.add(tokens.lists(), threads, stop); });
            },
            py::arg("lists"), py::arg("threads"))
        .def(
            "add_texts",
            [](BM25Builder& builder, const py::list& texts, int threads) {
                const TextRows rows = text_rows_of(texts, "texts", builder.docs());
                without_gil([&](const Interrupted& stop) {
                    builder.add_texts(
                        rows.size(),
                        [&rows](std::size_t i, std::string& scratch) {
                            return rows.utf8(i, scratch);
                        },
                        threads, stop);
                });
            },
            py::arg("texts"), py::arg("threads"))
        .def("terms",
             [](const BM25Builder& builder) {
                 return interruptible([&](const Interrupted& /*stop*/) {
                     py::list terms;
                     detail::Meter meter;
                     for (const std::string_view term : builder.terms()) {
                         meter.add(kTokenWeight + term.size());
                         terms.append(py::str(term.data(), term.size()));
                     }
                     return terms;
                 });
             })
        .def(
            "rename",
            [](BM25Builder& builder, const py::list& spellings) {
                interruptible([&](const Interrupted& /*stop*/) {
                    std::vector<std::optional<std::string_view>> views;
                    views.reserve(spellings.size());
                    detail::Meter meter;
                    for (const py::handle spelling : spellings) {
                        meter.add(kTokenWeight);
                        views.push_back(spelling.is_none() ? std::nullopt
                                                           : std::optional(token_bytes(
                                                                 spelling.ptr(), "spellings", 0)));
                    }
                    builder.rename(views);
                });
            },
            py::arg("spellings"))
        .def_property_readonly("docs", &BM25Builder::docs)
        .def(
            "finish",
            [](BM25Builder& builder, const std::string& note, int threads) {
                return without_gil(
                    [&](const Interrupted& stop) { return builder.finish(note, threads, stop); });
            },
            py::arg("note"), py::arg("threads"));
}

void bind_search(py::class_<BM25Index>& index) {
    index
        .def(
            "search_tokens",
            [](const BM25Index& self, const py::list& queries, std::size_t k,
               const std::optional<std::tuple<Rows, Rows>>& exclude,
               const std::optional<Rows>& subset, int threads, int strategy) {
                const Tokens tokens = tokens_of(queries, "queries", 0);
                return run(k, {exclude, subset}, threads, strategy,
                           [&](BM25Request& request, const BM25Options& options) {
                               request.queries = tokens.lists();
                               return self.search(request, options);
                           });
            },
            py::arg("queries"), py::arg("k"), py::arg("exclude"), py::arg("subset"),
            py::arg("threads"), py::arg("strategy"))
        .def(
            "search_texts",
            [](const BM25Index& self, const py::list& queries, std::size_t k,
               const std::optional<std::tuple<Rows, Rows>>& exclude,
               const std::optional<Rows>& subset, int threads, int strategy) {
                const TextRows rows = text_rows_of(queries, "queries", 0);
                std::deque<std::string> scratch;
                std::vector<std::string_view> views;
                interruptible([&](const Interrupted& /*stop*/) {
                    detail::Meter meter;
                    for (std::size_t i = 0; i < rows.size(); ++i) {
                        meter.add(kTokenWeight);
                        views.push_back(rows.utf8(i, scratch.emplace_back()));
                    }
                });
                return run(k, {exclude, subset}, threads, strategy,
                           [&](const BM25Request& request, const BM25Options& options) {
                               return self.search_texts(views, request, options);
                           });
            },
            py::arg("queries"), py::arg("k"), py::arg("exclude"), py::arg("subset"),
            py::arg("threads"), py::arg("strategy"))
        .def(
            "scores",
            [](const BM25Index& self, const py::list& tokens) {
                py::list one;
                one.append(tokens);
                const Tokens query = tokens_of(one, "query", 0);
                Contiguous<float> out(static_cast<py::ssize_t>(self.docs()));
                const auto span = writable_span_of(out);
                without_gil(
                    [&](const Interrupted& stop) { self.scores(query.views(), span, stop); });
                return out;
            },
            py::arg("tokens"));
}

}  // namespace

void register_bm25(py::module_& m) {
    bind_builder(m);
    py::class_<BM25Index> index(m, "BM25Index");
    index
        .def_static(
            "open",
            [](int descriptor, const std::string& name) {
                return BM25Index::open(descriptor, name);
            },
            py::arg("descriptor"), py::arg("name"))
        .def(
            "save",
            [](const BM25Index& self, int descriptor) {
                without_gil([&](const Interrupted& stop) { self.save(descriptor, stop); });
            },
            py::arg("descriptor"))
        .def(
            "verify",
            [](const BM25Index& self, int threads) {
                without_gil([&](const Interrupted& stop) { self.verify(threads, stop); });
            },
            py::arg("threads"))
        .def_property_readonly("docs", &BM25Index::docs)
        .def_property_readonly("vocabulary_size", &BM25Index::vocabulary_size)
        .def_property_readonly("postings", &BM25Index::postings)
        .def_property_readonly("tokens", &BM25Index::tokens)
        .def_property_readonly("note",
                               [](const BM25Index& self) {
                                   const std::string_view note = self.note();
                                   return py::str(note.data(), note.size());
                               })
        .def_property_readonly("settings", [](const BM25Index& self) {
            const BM25Settings& s = self.settings();
            return std::tuple(static_cast<int>(s.variant), s.k1, s.b, s.delta);
        });
    bind_search(index);
}

}  // namespace gnomon::bindings
