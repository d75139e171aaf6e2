// Python strings as UTF-8, read where they lie: nothing is cached in them, and the GIL is held only
// while they are looked up.
#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon::bindings {

// A row isn't a str. Becomes gnomon.errors.InvalidTypeError.
class NotTextError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The characters of a str, as Python stores them: `width` bytes each.
struct TextView {
    const void* characters = nullptr;
    std::size_t length = 0;
    unsigned width = 0;  // 0 for ASCII, which is UTF-8 already
};

// Needs the GIL. The view lives as long as the str. Throws NotTextError that calls it `name`.
TextView text_view(pybind11::handle text, const std::string& name);

// A code point that is half of a pair: no text, and not to be written as UTF-8.
class LoneSurrogate : public std::exception {
  public:
    LoneSurrogate(char32_t found, std::size_t at) : found_(found), at_(at) {}
    const char* what() const noexcept override { return "lone surrogate"; }

    // The same as std::invalid_argument, in words, about the text called `name`.
    [[noreturn]] void refuse(const std::string& name) const;

  private:
    char32_t found_;
    std::size_t at_;
};

// The text as UTF-8: a view of the str itself where it is ASCII, else of `scratch`. Needs no GIL.
// Throws LoneSurrogate.
std::string_view utf8_of(const TextView& text, std::string& scratch);

// A new str of valid UTF-8: a new reference. Needs the GIL.
PyObject* new_str(std::string_view utf8);

// The texts of a list that nobody changes meanwhile. Row numbers in messages begin at `first_row`.
class TextRows {
  public:
    // Needs the GIL. Throws NotTextError that names the row.
    TextRows(const pybind11::list& texts, const char* name, std::size_t first_row = 0);

    std::size_t size() const noexcept { return views_.size(); }

    // In characters.
    std::size_t length(std::size_t row) const noexcept { return views_[row].length; }

    // Needs no GIL; see utf8_of. Throws std::invalid_argument that names the row.
    std::string_view utf8(std::size_t row, std::string& scratch) const;

  private:
    std::string row_name(std::size_t row) const;

    std::vector<TextView> views_;
    const char* name_;
    std::size_t first_row_;
};

}  // namespace gnomon::bindings
