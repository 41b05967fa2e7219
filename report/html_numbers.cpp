#include "html_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "words.hpp"

namespace ulpfuzz::report::page {

std::string short_count(std::uint64_t n) {
  if (n < 10000) return with_commas(n);
  double value = static_cast<double>(n) / 1000;
  for (const char unit : {'k', 'M', 'G'}) {
    if (value < 999.5 || unit == 'G')
      return value < 9.95 ? fmt::format("{:.1f}{}", value, unit)
                          : with_commas(static_cast<std::uint64_t>(value + 0.5)) + unit;
    value /= 1000;
  }
  return {};
}

std::string duration(double seconds) {
  if (!(seconds >= 0)) return "–";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::min(seconds, 1e12) + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600)
    return whole % 60 == 0 ? fmt::format("{} min", whole / 60)
                           : fmt::format("{} min {} s", whole / 60, whole % 60);
  const std::uint64_t minutes = (whole + 30) / 60;
  return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60)
                           : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

bool endless(double share) {
  return std::isnan(share) || share >= std::numeric_limits<double>::max();
}

std::string share(double value) {
  if (endless(value)) return "∞";
  if (value == 0) return "0";
  if (value >= 1e5 || value < 1e-3) return fmt::format("{:.1e}", value);
  if (value >= 1000) return fmt::format("{:.0f}", value);
  if (value > 0.9995 && value < 1) return "< 1";  // attained, not exceeded
  return fmt::format("{:.3g}", value);
}

int heat(double share) {
  if (share >= 1 || std::isnan(share)) return 7;
  if (share <= 0) return 0;
  return std::clamp(static_cast<int>(std::floor(std::log2(share) / 2)) + 7, 0, 6);
}

std::string pixels(double value) {
  const double tenths = std::round(value * 10);
  return std::fmod(tenths, 10) == 0 ? fmt::format("{:.0f}", tenths / 10)
                                    : fmt::format("{:.1f}", tenths / 10);
}

}  // namespace ulpfuzz::report::page
