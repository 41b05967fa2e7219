#include "text.hpp"

#include <fmt/format.h>

#include <sstream>

#include "../numbers.hpp"

namespace ulpfuzz::repro {
namespace {

template <class Number>
std::string listed(std::span<const Number> values) {
  std::vector<std::string> parts;
  for (const Number n : values) parts.push_back(std::to_string(n));
  return joined(parts);
}

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
  if (statement.size() <= text_width || statement.find('\n') != std::string::npos) return statement;
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
    if (text.size() - line <= text_width || comma <= line) continue;
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
    if (line.size() + 1 + word.size() > text_width) {
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

}  // namespace ulpfuzz::repro
