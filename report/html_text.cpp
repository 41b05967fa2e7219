#include "html_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "words.hpp"

namespace ulpfuzz::report::page {
namespace {

unsigned nibble(char c) {
  return static_cast<unsigned>(c <= '9' ? c - '0' : std::tolower(c) - 'a' + 10);
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : clean(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&#39;";
    else
      out += c;
  }
  return out;
}

std::string code(std::string_view text) { return "<code>" + escape(text) + "</code>"; }

std::string script_json(const nlohmann::json& value) {
  std::string out;
  for (const char c : value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    // Outside of strings JSON has none of these three.
    if (c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out;
}

std::string link(const std::filesystem::path& relative) {
  return "./" + uri_of(relative);  // so that no first component is taken for a scheme
}

std::string fill(std::string_view skeleton, const std::map<std::string, std::string>& texts) {
  std::string out;
  std::set<std::string> used;
  for (std::size_t at = 0;;) {
    const std::size_t begin = skeleton.find("{{", at);
    out += skeleton.substr(at, begin - at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = skeleton.find("}}", begin);
    if (end == std::string_view::npos)
      throw std::invalid_argument("skeleton of the page: {{ without }}");
    const std::string name(skeleton.substr(begin + 2, end - begin - 2));
    const auto text = texts.find(name);
    if (text == texts.end())
      throw std::invalid_argument("skeleton of the page: no text for {{" + name + "}}");
    out += text->second;
    used.insert(name);
    at = end + 2;
  }
  for (const auto& [name, text] : texts)
    if (!used.contains(name))
      throw std::invalid_argument("skeleton of the page: no place for {{" + name + "}}");
  return out;
}

std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int held = 0;
  for (const char c : hex) {
    bits = bits << 4 | nibble(c);
    for (held += 4; held >= 6; held -= 6) out += digits[bits >> (held - 6) & 63];
  }
  if (held > 0) out += digits[bits << (6 - held) & 63];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

}  // namespace ulpfuzz::report::page
