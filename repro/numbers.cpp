#include "numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>

namespace ulpfuzz::repro {
namespace {

constexpr std::size_t always_plain = 16;

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }

/// The value that occurs most often among values[from], values[from + step], ...; the first of
/// several.
float mode(const std::vector<float>& values, std::size_t from, std::size_t step) {
  std::unordered_map<std::uint32_t, std::size_t> count;
  for (std::size_t i = from; i < values.size(); i += step) ++count[bits(values[i])];
  float best = values[from];
  for (std::size_t i = from; i < values.size(); i += step)
    if (count[bits(values[i])] > count[bits(best)]) best = values[i];
  return best;
}

Pattern periodic(const std::vector<float>& values, std::size_t period) {
  Pattern p{.size = values.size(), .base = {}, .exceptions = {}};
  for (std::size_t i = 0; i < period; ++i) p.base.push_back(mode(values, i, period));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (bits(values[i]) != bits(p.base[i % period])) p.exceptions.emplace_back(i, values[i]);
  return p;
}

/// An exception is its index and its value.
std::size_t cost(const Pattern& p) { return p.base.size() + 2 * p.exceptions.size() + 4; }

}  // namespace

std::string hex(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  return fmt::format("{:a}", x);
}

bool is_plain(double x) {
  if (!std::isfinite(x)) return false;
  if (x == std::trunc(x)) return std::fabs(x) < 1e6;
  return std::fabs(x) < 1e3 && 8 * x == std::trunc(8 * x);
}

std::string decimal(double x) { return fmt::format("{:.6g}", x); }

std::string cpp_element(float x) {
  if (std::isnan(x)) return "NAN";
  if (std::isinf(x)) return x < 0 ? "-INFINITY" : "INFINITY";
  if (x == 0 && std::signbit(x)) return "-0.0";  // -0 would be an integer
  return is_plain(x) ? decimal(double{x}) : hex(double{x});
}

std::string cpp_float(float x) {
  std::string text = cpp_element(x);
  if (!std::isfinite(x)) return text;
  if (text.find_first_of(".p") == std::string::npos) text += ".0";
  return text + "f";
}

std::string cpp_double(double x) {
  if (std::isnan(x)) return "NAN";
  if (std::isinf(x)) return x < 0 ? "-INFINITY" : "INFINITY";
  if (x == 0 && std::signbit(x)) return "-0.0";
  return is_plain(x) ? decimal(x) : hex(x);
}

std::string python_float(double x) {
  if (!std::isfinite(x)) return fmt::format("float('{}')", hex(x));
  if (!is_plain(x)) return fmt::format("float.fromhex('{}')", hex(x));
  std::string text = decimal(x);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

Pattern pattern_of(const std::vector<float>& values, std::size_t cols) {
  const Pattern all{.size = values.size(), .base = values, .exceptions = {}};
  if (values.size() <= always_plain) return all;
  Pattern best = periodic(values, 1);
  if (cols > 1 && cols < values.size() && values.size() % cols == 0) {
    Pattern rows = periodic(values, cols);
    if (cost(rows) < cost(best)) best = std::move(rows);
  }
  return cost(best) < values.size() ? best : all;
}

void check_size(const std::vector<Pattern>& patterns) {
  std::size_t numbers = 0;
  for (const Pattern& p : patterns) numbers += p.numbers();
  if (numbers <= most_numbers) return;
  throw std::invalid_argument(
      fmt::format("a case of {} numbers; at most {} would fit a program: shrink it first", numbers,
                  most_numbers));
}

}  // namespace ulpfuzz::repro
