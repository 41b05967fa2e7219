#include "data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "../calls.hpp"
#include "../plain_words.hpp"

namespace ulpfuzz::repro {
namespace {

constexpr std::size_t margin = 98;

/// "{1, 2, 3}", broken where the margin is reached, and behind each row where all do not fit.
std::string list(const std::vector<float>& values, std::size_t cols) {
  std::vector<std::string> words;
  for (const float v : values) words.push_back(cpp_element(v));
  constexpr std::size_t few = 8;
  const bool rows = cols > 1 && cols < values.size() && values.size() > few;
  std::string text = rows ? "{\n    " : "{";
  std::size_t column = rows ? 4 : margin / 3;  // what stands before it
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool breaks = i > 0 && ((rows && i % cols == 0) || column + words[i].size() + 2 > margin);
    if (breaks) {
      text += ",\n    ";
      column = 4;
    } else if (i > 0) {
      text += ", ";
    }
    text += words[i];
    column += words[i].size() + 2;
  }
  return text + "}";
}

std::string exceptions(const Pattern& p) {
  std::string text = "{";
  std::size_t column = margin / 2;
  for (std::size_t i = 0; i < p.exceptions.size(); ++i) {
    const auto& [index, value] = p.exceptions[i];
    const std::string word = fmt::format("{{{}, {}}}", index, cpp_element(value));
    if (i > 0) text += column + word.size() > margin ? ",\n    " : ", ";
    if (i > 0 && column + word.size() > margin) column = 4;
    text += word;
    column += word.size() + 2;
  }
  return text + "}";
}

/// "x.begin() + 6": where a row begins.
std::string place_in(const std::string& name, std::size_t row, const Tensor& x) {
  if (row == 0) return name + ".begin()";
  return row == x.rows ? name + ".end()" : fmt::format("{}.begin() + {}", name, row * x.cols);
}

}  // namespace

RowsText rows_text(const std::string& name, const Tensor& input, const Call& call) {
  const std::size_t cols = input.cols;
  const std::vector<std::uint32_t>& rows = call.rows;
  std::vector<std::uint32_t> all(input.rows);
  std::iota(all.begin(), all.end(), 0u);
  if (rows == all && call.padding == 0) return {name, false};
  const bool run = std::adjacent_find(rows.begin(), rows.end(),
                                      [](auto a, auto b) { return b != a + 1; }) == rows.end();
  constexpr std::size_t few = 8;
  if (call.batch() * cols <= few) return {list(rows_of(input, call), 0), false};
  if (run && call.padding == 0)
    return {fmt::format("Values({}, {})", place_in(name, rows.front(), input),
                        place_in(name, rows.back() + 1, input)),
            false};
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(rows[i]);
  }
  text = fmt::format("rows({}, {}, {{{}}}", name, cols, text);
  if (call.padding != 0) text += fmt::format(", {}", call.padding);
  return {text + ")", true};
}

std::string values_text(const Pattern& p, std::size_t cols) {
  if (p.plain()) return list(p.base, cols);
  std::string text;
  if (p.base.size() == 1)
    text = cpp_float(p.base.front()) == "0.0f"
               ? fmt::format("Values({})", p.size)
               : fmt::format("Values({}, {})", p.size, cpp_float(p.base.front()));
  else
    text = fmt::format("repeated({}, {})", list(p.base, 0), p.size / p.base.size());
  if (p.exceptions.empty()) return text;
  return fmt::format("changed({}, {})", text, exceptions(p));
}

std::vector<std::string> data_helpers(const std::vector<Pattern>& patterns, bool rows) {
  std::vector<std::string> texts;
  const auto any = [&](auto test) { return std::any_of(patterns.begin(), patterns.end(), test); };
  if (any([](const Pattern& p) { return !p.plain() && p.base.size() > 1; }))
    texts.push_back(R"(Values repeated(const Values& row, int times) {
  Values all;
  for (int i = 0; i < times; ++i) all.insert(all.end(), row.begin(), row.end());
  return all;
})");
  if (any([](const Pattern& p) { return !p.exceptions.empty(); }))
    texts.push_back(R"(Values changed(Values v, const std::vector<std::pair<int, float>>& places) {
  for (const auto& [i, value] : places) v[i] = value;
  return v;
})");
  if (rows)
    texts.push_back(R"(// Some rows of x, which has n columns, then rows of zeros.
Values rows(const Values& x, int n, const std::vector<int>& which, int zeros = 0) {
  Values some;
  for (const int r : which) some.insert(some.end(), x.begin() + r * n, x.begin() + (r + 1) * n);
  some.resize(some.size() + zeros * n);
  return some;
})");
  return texts;
}

std::string comment(const std::string& words) {
  const std::string text = one_line(words);
  std::string result = "//";
  std::size_t column = 2;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    if (column + 1 + end - from > margin) {
      result += "\n//";
      column = 2;
    }
    result += ' ';
    result += text.substr(from, end - from);
    if (result.back() == '\\') result += '.';  // else the next line, maybe of code, would join
    column += 1 + end - from;
    from = end + 1;
  }
  return result + "\n";
}

}  // namespace ulpfuzz::repro
