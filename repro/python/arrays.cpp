#include "arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <map>

#include "../numbers.hpp"

namespace ulpfuzz::repro {
namespace {

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

bool same(std::span<const float> a, std::span<const float> b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
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
  if (indent + flat.size() + taken <= text_width && flat.find('\n') == std::string::npos)
    return flat;
  std::string text = "[";
  std::string line;
  const std::string margin(indent + 4, ' ');
  for (const std::string& entry : entries) {
    const bool rows = axis + 1 != dims.size();
    if (line.empty() || rows || margin.size() + line.size() + entry.size() + 2 > text_width) {
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

  /// An index of several elements: "0, [5, 9]".
  std::string index_of(const std::vector<std::size_t>& elements) const {
    std::vector<std::string> axes;
    std::size_t stride = data.size();
    for (const std::size_t size : dims) {
      stride /= size;
      std::vector<std::uint32_t> along;
      for (const std::size_t e : elements)
        along.push_back(static_cast<std::uint32_t>(e / stride % size));
      const bool one = std::count(along.begin(), along.end(), along[0]) == std::ssize(along);
      axes.push_back(one ? std::to_string(along[0]) : python_list(along));
    }
    return joined(axes);
  }

  /// A statement for each value other than x.
  Lines with_exceptions(const std::string& name, float x) const {
    Lines lines{fmt::format("{} = {}", name, constant(x))};
    std::vector<std::uint32_t> said{bits(x)};
    for (const float value : data) {
      if (std::count(said.begin(), said.end(), bits(value)) != 0) continue;
      said.push_back(bits(value));
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < data.size(); ++i)
        if (bits(data[i]) == bits(value)) places.push_back(i);
      lines.push_back(
          fmt::format("{}[{}] = {}", name, index_of(places), python_number(double{value})));
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
      block += i % cols == 0 ? "\n" : line + number.size() + 1 > text_width ? "\n  " : " ";
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
