#include "python_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "gnomon/steps.hpp"
#include "gnomon/utf8.hpp"

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

// Characters that are looked at together.
constexpr std::size_t kTogether = 8;

// A text is looked up wherever it lies in memory.
constexpr std::size_t kTextWeight = 16;

template <typename Character>
bool all_ascii(const Character* text) noexcept {
    Character all = 0;
    for (std::size_t i = 0; i < kTogether; ++i) {
        all = static_cast<Character>(all | text[i]);
    }
    return all < 0x80U;
}

// Writes a code point below U+0800 and returns the end. No branch: in most scripts spaces and
// letters take turns.
char* encode_narrow(char32_t cp, char* out) noexcept {
    const bool two = cp >= 0x80U;
    out[0] = static_cast<char>(two ? 0xC0U | cp >> 6U : cp);
    out[1] = static_cast<char>(0x80U | (cp & 0x3FU));
    return out + 1 + (two ? 1 : 0);
}

// Writes characters [at, length) as UTF-8 and returns the end. `out` has room for four bytes a
// character, and for one more.
template <typename Character>
char* encode_some(const Character* text, std::size_t at, std::size_t length, char* out) {
    while (at < length) {
        if (length - at >= kTogether && all_ascii(text + at)) {
            for (std::size_t i = 0; i < kTogether; ++i) {
                out[i] = static_cast<char>(text[at + i]);
            }
            at += kTogether;
            out += kTogether;
            continue;
        }
        for (const std::size_t end = std::min(length, at + kTogether); at < end; ++at) {
            const char32_t cp = text[at];
            if (cp < 0x800U) {
                out = encode_narrow(cp, out);
                continue;
            }
            if (cp >= 0xD800U && cp <= 0xDFFFU) {
                throw LoneSurrogate(cp, at);
            }
            out += detail::encode(cp, out);
        }
    }
    return out;
}

template <typename Character>
char* encode_all(const Character* text, std::size_t length, char* out) {
    for (const auto [begin, end] : detail::steps(length)) {
        out = encode_some(text, begin, end, out);
    }
    return out;
}

}  // namespace

TextView text_view(py::handle text, const std::string& name) {
    PyObject* object = text.ptr();
    if (PyUnicode_Check(object) == 0) {
        throw NotTextError(name + " is of type " + Py_TYPE(object)->tp_name +
                           ", expected str; replace or drop what isn't text");
    }
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(object) != 0) {
        throw py::error_already_set();
    }
#endif
    const unsigned kind = PyUnicode_KIND(object);
    return {PyUnicode_DATA(object), static_cast<std::size_t>(PyUnicode_GET_LENGTH(object)),
            PyUnicode_IS_ASCII(object) != 0 ? 0U : kind};
}

void LoneSurrogate::refuse(const std::string& name) const {
    std::array<char, 8> code{};
    std::snprintf(code.data(), code.size(), "U+%04X", static_cast<unsigned>(found_));
    throw std::invalid_argument(
        name + " holds the lone surrogate " + code.data() + " at character " + std::to_string(at_) +
        ", which is no text; decode the source with errors=\"replace\" or remove it");
}

std::string_view utf8_of(const TextView& text, std::string& scratch) {
    if (text.width == 0) {
        return {static_cast<const char*>(text.characters), text.length};
    }
    // Latin-1 takes two bytes a character, the others at most three and four.
    const std::size_t most = text.length * (text.width == 4 ? 4 : text.width + 1) + kTogether;
    if (scratch.size() < most) {
        detail::resize_in_steps(scratch, most);
    }
    char* out = scratch.data();
    const char* end = nullptr;
    switch (text.width) {
    case 1:
        end = encode_all(static_cast<const std::uint8_t*>(text.characters), text.length, out);
        break;
    case 2:
        end = encode_all(static_cast<const std::uint16_t*>(text.characters), text.length, out);
        break;
    default:
        end = encode_all(static_cast<const std::uint32_t*>(text.characters), text.length, out);
        break;
    }
    return {out, static_cast<std::size_t>(end - out)};
}

PyObject* new_str(std::string_view utf8) {
    constexpr std::size_t kShort = 64;
    const char* first = utf8.data();
    const auto bytes = static_cast<py::ssize_t>(utf8.size());
    const auto is_ascii = [](char byte) { return static_cast<unsigned char>(byte) < 0x80U; };
    PyObject* text = nullptr;
    if (std::all_of(utf8.begin(), utf8.end(), is_ascii)) {
        text = PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, first, bytes);
    } else if (utf8.size() > kShort) {
        text = PyUnicode_DecodeUTF8(first, bytes, nullptr);
    } else {
        // Python's own decoder first allocates more than it needs; words are short.
        std::array<Py_UCS4, kShort> code_points;
        py::ssize_t length = 0;
        for (std::size_t at = 0; at < utf8.size();) {
            const detail::Decoded decoded = detail::decode(first + at, utf8.size() - at);
            code_points[static_cast<std::size_t>(length++)] = decoded.cp;
            at += decoded.length;
        }
        text = PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, code_points.data(), length);
    }
    if (text == nullptr) {
        throw py::error_already_set();
    }
    return text;
}

TextRows::TextRows(const py::list& texts, const char* name, std::size_t first_row)
    : name_(name), first_row_(first_row) {
    const std::size_t rows = texts.size();
    views_.reserve(rows);
    detail::Meter meter;
    for (std::size_t row = 0; row < rows; ++row) {
        meter.add(kTextWeight);
        PyObject* item = PyList_GET_ITEM(texts.ptr(), static_cast<py::ssize_t>(row));
        if (PyUnicode_Check(item) == 0) {
            text_view(item, row_name(row));
        }
        views_.push_back(text_view(item, {}));
    }
}

std::string TextRows::row_name(std::size_t row) const {
    return "row " + std::to_string(first_row_ + row) + " of " + name_;
}

std::string_view TextRows::utf8(std::size_t row, std::string& scratch) const {
    try {
        return utf8_of(views_[row], scratch);
    } catch (const LoneSurrogate& surrogate) {
        surrogate.refuse(row_name(row));
    }
}

}  // namespace gnomon::bindings
