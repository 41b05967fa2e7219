#pragma once

#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "ulpfuzz/report/members.hpp"

namespace ulpfuzz::report {

/// Keeps the order of the lists of members: that of the file.
using Json = nlohmann::ordered_json;

template <class T>
Json written(const T& value);

/// JSON has no infinity and no NaN: the largest double, and 0.
inline Json written_number(double value) {
  constexpr double most = std::numeric_limits<double>::max();
  return std::isnan(value) ? 0.0 : std::fmin(std::fmax(value, -most), most);
}

template <class T>
Json written_list(const T& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(written(value));
  return list;
}

template <class T>
Json written_members(const T& value) {
  Json object = Json::object();
  visit_members(value, [&object](const char* key, const auto& member, auto... word) {
    if constexpr (sizeof...(word) == 0) {
      object[key] = written(member);
    } else {
      for (std::size_t i = 0; i < member.size(); ++i)
        object[key][std::string((word(i), ...))] = written(member[i]);
    }
  });
  return object;
}

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T, std::size_t N>
inline constexpr bool is_list<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

template <class T>
Json written(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(name(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return written_number(value);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.string();
  } else if constexpr (is_list<T>) {
    return written_list(value);
  } else if constexpr (is_map<T>) {
    Json object = Json::object();
    for (const auto& [key, member] : value) object[key] = written(member);
    return object;
  } else {
    return written_members(value);
  }
}

}  // namespace ulpfuzz::report
