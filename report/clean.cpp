#include <cstddef>

#include "words.hpp"

namespace ulpfuzz::report {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

struct Symbol {
  char32_t code = 0;
  std::size_t bytes = 0;  ///< 0: what stands here is no UTF-8
};

/// RFC 3629: shortest forms alone, no surrogates, up to U+10FFFF.
Symbol symbol_at(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4) return {};
  char32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  if (code < least[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

/// What XML 1.0 has and a reader can see: no control characters, no noncharacters, nothing that
/// turns the direction of what stands around it.
bool can_be_shown(char32_t code) {
  if (code == '\n' || code == '\t') return true;
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  if (code >= 0x202a && code <= 0x202e) return false;
  if (code >= 0x2066 && code <= 0x2069) return false;
  return (code & 0xfffeU) != 0xfffeU;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Symbol symbol = symbol_at(text);
    const std::size_t bytes = symbol.bytes == 0 ? 1 : symbol.bytes;
    const bool line_end = text.substr(0, 2) == "\r\n";
    if (symbol.bytes != 0 && can_be_shown(symbol.code))
      result += text.substr(0, bytes);
    else if (!line_end)
      result += replacement;
    text.remove_prefix(bytes);
  }
  return result;
}

std::string cut(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) --most;
  text.resize(most);
  return text + "...";
}

std::string shortened(std::string_view text, std::size_t most) {
  return cut(clean(text.substr(0, 2 * most)), most);
}

std::string one_line(std::string_view text, std::size_t most) {
  // Cutting first keeps a message of megabytes cheap; a symbol cut in two is replaced.
  std::string line = clean(text.substr(0, 4 * most + 4));
  for (char& c : line)
    if (c == '\n' || c == '\t') c = ' ';
  return cut(std::move(line), most);
}

}  // namespace ulpfuzz::report
