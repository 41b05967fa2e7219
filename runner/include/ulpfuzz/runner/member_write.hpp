#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <vector>

#include "ulpfuzz/runner/json_text.hpp"
#include "ulpfuzz/runner/members.hpp"

namespace ulpfuzz {

/// For those who link nlohmann_json: what visit_members() lists as JSON, of the kind that they ask
/// for (sorted, or in the order of the lists).
template <class Json = nlohmann::json, class T>
Json to_member(const T& value);

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

template <class Json, class T>
Json to_list(const T& values) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(to_member<Json>(value));
  return list;
}

template <class Json, class T>
Json to_object(const T& value) {
  Json object = Json::object();
  if constexpr (is_map<T>) {
    for (const auto& [key, item] : value) object[key] = to_member<Json>(item);
  } else {
    visit_members(value, [&object](const char* key, const auto& member, auto... word) {
      if constexpr (sizeof...(word) == 0) {
        object[key] = to_member<Json>(member);
      } else {
        for (std::size_t i = 0; i < member.size(); ++i)
          object[key][std::string((word(i), ...))] = to_member<Json>(member[i]);
      }
    });
  }
  return object;
}

template <class Json, class T>
Json to_member(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(name(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return json_number(value);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.string();
  } else if constexpr (is_list<T>) {
    return to_list<Json>(value);
  } else {
    return to_object<Json>(value);
  }
}

}  // namespace ulpfuzz
