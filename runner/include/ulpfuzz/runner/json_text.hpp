#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace ulpfuzz {

// For those who link nlohmann_json.

/// For people and line by line for diffs; what is not UTF-8 is replaced: messages of subjects are
/// anything.
template <class Json = nlohmann::json>
std::string dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// JSON has no infinity and no NaN: the largest double, and 0.
inline double json_number(double value) {
  constexpr double most = std::numeric_limits<double>::max();
  return std::isnan(value) ? 0.0 : std::clamp(value, -most, most);
}

/// The inverse, for infinities.
inline double read_number(double value) {
  constexpr double most = std::numeric_limits<double>::max();
  return std::fabs(value) < most ? value : std::copysign(HUGE_VAL, value);
}

}  // namespace ulpfuzz
