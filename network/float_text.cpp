#include "float_text.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>

namespace ulpfuzz {
namespace {

constexpr std::uint32_t fraction_mask = 0x7fffff;
constexpr int fraction_bits = 23;

template <class T>
bool read_all(std::string_view text, T& value, std::chars_format format) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, format);
  return error == std::errc{} && stop == end;
}

std::optional<float> parse_nan(std::string_view bits_text) {
  std::uint32_t bits = 0;
  const char* end = bits_text.data() + bits_text.size();
  const auto [stop, error] = std::from_chars(bits_text.data(), end, bits, 16);
  if (bits_text.size() != 8 || error != std::errc{} || stop != end) return std::nullopt;
  const auto x = std::bit_cast<float>(bits);
  return std::isnan(x) ? std::optional<float>{x} : std::nullopt;
}

std::optional<float> parse_hex(std::string_view digits) {
  double value = 0;
  if (!read_all(digits, value, std::chars_format::hex)) return std::nullopt;
  const auto x = static_cast<float>(value);
  return static_cast<double>(x) == value ? std::optional<float>{x} : std::nullopt;
}

bool starts_number(std::string_view text) {
  return !text.empty() && ((text.front() >= '0' && text.front() <= '9') || text.front() == '.');
}

}  // namespace

void append_float(std::string& out, float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  auto to = std::back_inserter(out);
  if (std::isnan(x)) {
    fmt::format_to(to, "nan:{:08x}", bits);
    return;
  }
  if (bits >> 31) out += '-';
  if (std::isinf(x)) {
    out += "inf";
    return;
  }
  std::uint32_t fraction = bits & fraction_mask;
  int exponent = static_cast<int>((bits >> fraction_bits) & 0xff);
  if (exponent == 0 && fraction == 0) {
    out += "0x0p+0";
    return;
  }
  if (exponent == 0) {  // a subnormal is written normalised
    const int shift = std::countl_zero(fraction) - (31 - fraction_bits);
    fraction = (fraction << shift) & fraction_mask;
    exponent = 1 - shift;
  }
  out += "0x1";
  if (fraction != 0) {
    std::uint32_t rest = fraction << (32 - fraction_bits);
    for (out += '.'; rest != 0; rest <<= 4) out += "0123456789abcdef"[rest >> 28];
  }
  fmt::format_to(to, "p{:+}", exponent - 127);
}

std::optional<float> parse_float(std::string_view text) {
  if (text == "nan") return std::bit_cast<float>(0x7fc00000u);
  if (text.starts_with("nan:")) return parse_nan(text.substr(4));
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::optional<float> magnitude;
  if (text == "inf") {
    magnitude = HUGE_VALF;
  } else if (text.starts_with("0x")) {
    if (text.size() > 2 && text[2] != '-') magnitude = parse_hex(text.substr(2));
  } else if (float x = 0; starts_number(text) && read_all(text, x, std::chars_format::general)) {
    magnitude = x;
  }
  if (magnitude && negative) return -*magnitude;
  return magnitude;
}

}  // namespace ulpfuzz
