#include "npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include "file_error.hpp"

namespace ulpfuzz {
namespace {

constexpr std::size_t most_axes = 64;  // NumPy's own limit
constexpr std::size_t most_header_bytes = 1u << 16;
constexpr std::string_view restore = "save or copy it again";

// The part of Python's literals that a header is written in.
class Literal {
 public:
  Literal(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  bool take(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(char c) {
    if (!take(c)) complain(fmt::format("no '{}'", c));
  }
  std::string string() {
    skip_spaces();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const std::size_t end = quote == '\'' || quote == '"' ? rest_.find(quote, 1) : rest_.npos;
    if (end == rest_.npos) complain("no string");
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    skip_spaces();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    complain("neither True nor False");
  }
  std::size_t number() {
    skip_spaces();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) complain("no length of an axis");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // a long of Python 2
    return value;
  }
  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> values;
    need('(');
    while (!take(')')) {
      if (values.size() == most_axes) complain(fmt::format("more than {} axes", most_axes));
      values.push_back(number());
      if (take(',')) continue;
      need(')');
      if (values.size() == 1) complain("no tuple");
      break;
    }
    return values;
  }
  void end() {
    skip_spaces();
    if (!rest_.empty()) complain("no end");
  }
  [[noreturn]] void complain(std::string_view problem) {
    refuse(name_, "header", fmt::format("{} where it says \"{:.20}\"", problem, rest_), restore);
  }

 private:
  void skip_spaces() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size()));
  }

  std::string_view rest_;
  const std::string& name_;
};

std::string read_dtype(Literal& literal, const std::string& name) {
  if (literal.take('['))
    refuse(name, "dtype", "it is a structured array, not numbers alone", npy_remedy);
  return literal.string();
}

void read_dictionary(std::string_view text, const std::string& name, NpyHeader& header) {
  Literal literal(text, name);
  std::vector<std::string> keys;
  literal.need('{');
  while (!literal.take('}')) {
    keys.push_back(literal.string());
    if (std::find(keys.begin(), keys.end() - 1, keys.back()) != keys.end() - 1)
      literal.complain(fmt::format("{:.20} is given twice", keys.back()));
    literal.need(':');
    if (keys.back() == "descr")
      header.dtype = read_dtype(literal, name);
    else if (keys.back() == "fortran_order")
      header.fortran_order = literal.boolean();
    else if (keys.back() == "shape")
      header.shape = literal.tuple();
    else
      literal.complain(fmt::format("the unknown key '{:.20}'", keys.back()));
    if (literal.take(',')) continue;
    literal.need('}');
    break;
  }
  literal.end();
  if (keys.size() != 3) refuse(name, "header", "descr, fortran_order or shape is missing", restore);
}

// No more than what double elements can be counted in bytes.
std::size_t product(const std::vector<std::size_t>& shape, const std::string& name) {
  if (std::find(shape.begin(), shape.end(), 0u) != shape.end()) return 0;
  std::size_t count = 1;
  for (const std::size_t length : shape) {
    if (length > std::numeric_limits<std::size_t>::max() / sizeof(double) / count)
      refuse(name, "header", "the shape is larger than any memory", restore);
    count *= length;
  }
  return count;
}

[[noreturn]] void refuse_other_file(std::string_view bytes, const std::string& name) {
  const std::string_view begin = bytes.substr(0, 64);
  const auto printable = [](char c) {
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\t' || c == '\r';
  };
  if (begin.starts_with("PK"))
    refuse(name, "begin", "it is a .npz or .pt archive, not a .npy array", npy_remedy);
  if (begin.starts_with('\x80'))
    refuse(name, "begin", "it is a pickle, not a .npy array", npy_remedy);
  if (std::all_of(begin.begin(), begin.end(), printable))
    refuse(name, "begin", fmt::format("it is text (\"{:.20}\"), not a .npy array", begin),
           npy_remedy);
  refuse(name, "begin", "it is no .npy array", npy_remedy);
}

}  // namespace

NpyHeader read_npy_header(std::string_view bytes, const std::string& name) {
  if (bytes.empty()) refuse(name, "read", "the file is empty", npy_remedy);
  if (!bytes.starts_with(npy_magic)) refuse_other_file(bytes, name);
  const auto byte = [&](std::size_t i) {
    if (i >= bytes.size()) refuse(name, "header", "the file ends within it", restore);
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const std::size_t major = byte(6), minor = byte(7);
  if (major < 1 || major > 3 || minor != 0)
    refuse(name, "header",
           fmt::format(".npy version {}.{}, of which 1.0 to 3.0 are known", major, minor),
           npy_remedy);
  const std::size_t wide = major == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = 0; i < wide; ++i) length |= byte(8 + i) << (8 * i);
  if (length > most_header_bytes)
    refuse(name, "header",
           fmt::format("{} bytes long, where {} are plenty", length, most_header_bytes),
           npy_remedy);
  NpyHeader header;
  header.begin = 8 + wide + length;
  if (header.begin > bytes.size()) refuse(name, "header", "the file ends within it", restore);
  read_dictionary(bytes.substr(8 + wide, length), name, header);
  header.count = product(header.shape, name);
  return header;
}

std::string dtype_in_words(const std::string& dtype) {
  if (dtype.size() < 2) return fmt::format("\"{}\"", dtype);
  const std::string order = dtype[0] == '>' ? "big-endian " : "";
  int size = 0;
  const auto [end, error] = std::from_chars(dtype.data() + 2, dtype.data() + dtype.size(), size);
  const bool sized =
      error == std::errc{} && end == dtype.data() + dtype.size() && size > 0 && size <= 32;
  const char kind = dtype[1];
  if (kind == 'O') return "object";
  if (kind == 'b') return "bool";
  if (kind == 'V' && size == 2) return "raw 2-byte values (bfloat16?)";
  if (kind == 'U' || kind == 'S') return "strings";
  const std::string_view word = kind == 'f'   ? "float"
                                : kind == 'i' ? "int"
                                : kind == 'u' ? "uint"
                                : kind == 'c' ? "complex"
                                              : "";
  if (word.empty() || !sized) return fmt::format("\"{:.20}\"", dtype);
  return fmt::format("{}{}{}", order, word, 8 * size);
}

}  // namespace ulpfuzz
