#include "python_text.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <map>
#include <sstream>

#include "numbers.hpp"
#include "python_layout.hpp"

namespace ulpfuzz::repro {
namespace {

constexpr std::size_t width = 98;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

bool same(std::span<const float> a, std::span<const float> b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

template <class Number>
std::string listed(std::span<const Number> values) {
  std::vector<std::string> parts;
  for (const Number n : values) parts.push_back(std::to_string(n));
  return joined(parts);
}

/// Nested lists, broken between the outermost entries where one line does not take them.
/// `taken`: characters beside them in the first and the last line.
std::string nested(const std::vector<std::size_t>& dims, std::size_t axis,
                   std::span<const float> data, std::size_t indent, std::size_t taken) {
  if (dims[axis] == 1 && axis + 1 != dims.size())
    return fmt::format("[{}]", nested(dims, axis + 1, data, indent, taken + 2));
  const std::size_t inner = dims[axis] == 0 ? 0 : data.size() / dims[axis];
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < dims[axis]; ++i) {
    const auto part = data.subspan(i * inner, inner);
    entries.push_back(axis + 1 == dims.size() ? python_number(double{part[0]})
                                              : nested(dims, axis + 1, part, indent + 4, 1));
  }
  const std::string flat = fmt::format("[{}]", joined(entries));
  if (indent + flat.size() + taken <= width && flat.find('\n') == std::string::npos) return flat;
  std::string text = "[";
  std::string line;
  const std::string margin(indent + 4, ' ');
  for (const std::string& entry : entries) {
    const bool rows = axis + 1 != dims.size();
    if (line.empty() || rows || margin.size() + line.size() + entry.size() + 2 > width) {
      if (!line.empty()) text += "\n" + margin + line;
      line = entry + ",";
    } else {
      line += " " + entry + ",";
    }
  }
  return text + "\n" + margin + line + "\n" + std::string(indent, ' ') + "]";
}

struct Maker {
  const std::vector<std::size_t>& dims;
  std::span<const float> data;
  Arrays arrays;

  bool torch() const { return arrays == Arrays::torch; }

  std::string made(const std::string& list) const {
    return torch() ? fmt::format("torch.tensor({})", list)
                   : fmt::format("np.array({}, np.float32)", list);
  }

  std::string constant(float x) const {
    const std::string shape = python_tuple(dims);
    if (bits(x) == 0)
      return torch() ? fmt::format("torch.zeros({})", shape)
                     : fmt::format("np.zeros({}, np.float32)", shape);
    if (x == 1)
      return torch() ? fmt::format("torch.ones({})", shape)
                     : fmt::format("np.ones({}, np.float32)", shape);
    return torch() ? fmt::format("torch.full({}, {})", shape, python_number(double{x}))
                   : fmt::format("np.full({}, {}, np.float32)", shape, python_number(double{x}));
  }

  /// The value of most elements; with how many others.
  std::pair<float, std::size_t> base() const {
    std::map<std::uint32_t, std::size_t> count;
    for (const float x : data) ++count[bits(x)];
    auto most = count.begin();
    for (auto at = count.begin(); at != count.end(); ++at)
      if (at->second > most->second) most = at;
    return {std::bit_cast<float>(most->first), data.size() - most->second};
  }

  Lines with_exceptions(const std::string& name, float x) const {
    Lines lines{fmt::format("{} = {}", name, constant(x))};
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (bits(data[i]) == bits(x)) continue;
      lines.push_back(
          fmt::format("{}[{}] = {}", name, python_index(i, dims), python_number(double{data[i]})));
    }
    return lines;
  }

  bool rows_agree() const {
    const std::size_t row = dims.empty() || dims[0] == 0 ? 0 : data.size() / dims[0];
    for (std::size_t r = 1; r < dims[0]; ++r)
      if (!same(data.first(row), data.subspan(r * row, row))) return false;
    return dims.size() > 1 && dims[0] > 1;
  }

  std::string repeated(std::size_t taken) const {
    std::vector<std::size_t> one = dims;
    one[0] = 1;
    std::vector<std::size_t> times(dims.size(), 1);
    times[0] = dims[0];
    const std::string row = nested(one, 0, data.first(data.size() / dims[0]), 0, taken + 24);
    return torch() ? fmt::format("{}.repeat{}", made(row), python_tuple(times))
                   : fmt::format("np.tile({}, {})", made(row), python_tuple(times));
  }

  /// Many numbers that want to be hex: as text, a line a row.
  std::string text() const {
    const std::size_t cols = dims.back();
    std::string block;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const std::string number = hex(double{data[i]});
      const auto start = block.rfind('\n');
      const std::size_t line = block.size() - (start == std::string::npos ? 0 : start);
      block += i % cols == 0 ? "\n" : line + number.size() + 1 > width ? "\n  " : " ";
      block += number;
    }
    const std::string list = fmt::format("[h(v) for v in \"\"\"{}\n\"\"\".split()]", block);
    if (dims.size() == 1) return made(list);
    return made(list) + fmt::format(".reshape{}", python_tuple(dims));
  }

  std::size_t hex_numbers() const {
    std::size_t n = 0;
    for (const float x : data) n += is_plain(double{x}) ? 0u : 1u;
    return n;
  }
};

}  // namespace

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += between;
    text += part;
  }
  return text;
}

std::string python_wrapped(const std::string& statement) {
  if (statement.size() <= width || statement.find('\n') != std::string::npos) return statement;
  const std::size_t margin = statement.find_first_not_of(' ') + 4;
  std::string text;
  std::size_t line = 0;   // where it begins
  std::size_t comma = 0;  // behind the last one in brackets
  std::size_t depth = 0;
  bool quoted = false;
  for (const char c : statement) {
    text += c;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    depth += c == '(' || c == '[' ? 1u : 0u;
    depth -= c == ')' || c == ']' ? 1u : 0u;
    if (c == ',' && depth > 0) comma = text.size();
    if (text.size() - line <= width || comma <= line) continue;
    text.replace(comma, 1, fmt::format("\n{:{}}", "", margin));
    line = comma + 1;
  }
  return text;
}

Lines python_comment(const std::string& text) {
  Lines lines;
  std::string line = "#";
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > width) {
      lines.push_back(line);
      line.resize(1);
    }
    line += ' ';
    line += word;
  }
  lines.push_back(line);
  return lines;
}

std::string python_number(double x) {
  if (!is_plain(x)) return fmt::format("h(\"{}\")", hex(x));
  std::string text = decimal(x);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string python_tuple(const std::vector<std::size_t>& values) {
  return fmt::format("({}{})", listed(std::span(values)), values.size() == 1 ? "," : "");
}

std::string python_tuple(const std::vector<std::string>& parts) {
  return fmt::format("({}{})", joined(parts), parts.size() == 1 ? "," : "");
}

std::string python_list(std::span<const std::uint32_t> values) {
  return fmt::format("[{}]", listed(values));
}

std::string python_rows(std::span<const std::uint32_t> rows) {
  for (std::size_t i = 1; i < rows.size(); ++i)
    if (rows[i] != rows[0] + i) return python_list(rows);
  if (rows.empty()) return "[]";
  return fmt::format("{}:{}", rows.front(), rows.back() + 1);
}

Lines python_array(const std::string& name, const std::vector<std::size_t>& dims,
                   std::span<const float> data, Arrays arrays) {
  constexpr std::size_t most_exceptions = 6;
  constexpr std::size_t many = 24;
  const Maker maker{dims, data, arrays};
  if (data.empty()) return {fmt::format("{} = {}", name, maker.constant(0))};
  const auto [x, others] = maker.base();
  const std::string set = name + " = ";
  const std::size_t taken = set.size() + maker.made("").size();
  if (others == 0 && data.size() > 1) return {set + maker.constant(x)};
  if (others <= most_exceptions && data.size() >= 4 * others + 4)
    return maker.with_exceptions(name, x);
  if (maker.rows_agree()) return {set + maker.repeated(taken)};
  if (maker.hex_numbers() > many) return {set + maker.text()};
  return {set + maker.made(nested(dims, 0, data, 0, taken))};
}

}  // namespace ulpfuzz::repro
