#include "python_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace gnomon::bindings {

namespace py = pybind11;

namespace {

// Characters that are narrowed together when all of them are ASCII.
constexpr std::size_t kStep = 16;

template <typename Character>
bool narrow_ascii(const Character* from, char* to) noexcept {
    std::uint32_t all = 0;
    for (std::size_t i = 0; i < kStep; ++i) {
        all |= from[i];
        to[i] = static_cast<char>(from[i]);
    }
    return all < 0x80U;
}

// Writes characters as UTF-8 and returns the end. `out` has room for four bytes a character, and
// for kStep more.
template <typename Character>
char* encode_all(const Character* text, std::size_t length, char* out) {
    const auto put = [&](std::uint32_t byte) { *out++ = static_cast<char>(byte); };
    for (std::size_t at = 0; at < length;) {
        if (length - at >= kStep && narrow_ascii(text + at, out)) {
            at += kStep;
            out += kStep;
            continue;
        }
        const std::size_t end = std::min(length, at + kStep);
        for (; at < end; ++at) {
            const std::uint32_t cp = text[at];
            if (cp < 0x80U) {
                put(cp);
            } else if (cp < 0x800U) {
                put(0xC0U | cp >> 6U);
                put(0x80U | (cp & 0x3FU));
            } else if (cp < 0x10000U) {
                if (cp >= 0xD800U && cp <= 0xDFFFU) {
                    throw LoneSurrogate(cp, at);
                }
                put(0xE0U | cp >> 12U);
                put(0x80U | (cp >> 6U & 0x3FU));
                put(0x80U | (cp & 0x3FU));
            } else {
                put(0xF0U | cp >> 18U);
                put(0x80U | (cp >> 12U & 0x3FU));
                put(0x80U | (cp >> 6U & 0x3FU));
                put(0x80U | (cp & 0x3FU));
            }
        }
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
    const bool ascii = PyUnicode_IS_ASCII(object) != 0;
    return {PyUnicode_DATA(object), static_cast<std::size_t>(PyUnicode_GET_LENGTH(object)),
            ascii ? 0U : static_cast<unsigned>(PyUnicode_KIND(object))};
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
    const std::size_t most = text.length * (text.width == 4 ? 4 : text.width + 1) + kStep;
    if (scratch.size() < most) {
        scratch.resize(most);
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

TextRows::TextRows(const py::list& texts, const char* name, std::size_t first_row)
    : name_(name), first_row_(first_row) {
    const std::size_t rows = texts.size();
    views_.reserve(rows);
    for (std::size_t row = 0; row < rows; ++row) {
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
