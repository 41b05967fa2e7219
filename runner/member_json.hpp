#pragma once

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ulpfuzz/runner/members.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {

/// Where in a file a value is, for "NAME: buckets[3].count: what is wrong; how to mend it".
class Place {
 public:
  explicit Place(const std::string& file) : file_(&file) {}
  Place at(const std::string& key) const {
    return {*file_, path_.empty() ? key : fmt::format("{}.{}", path_, key)};
  }
  Place at(std::size_t i) const { return {*file_, fmt::format("{}[{}]", path_, i)}; }
  [[noreturn]] void refuse(const std::string& what) const;
  /// Refuses a value that is not "a whole number", or what else is wanted.
  void expect(bool holds, const nlohmann::json& value, const std::string& wanted) const;

 private:
  Place(const std::string& file, std::string path) : file_(&file), path_(std::move(path)) {}
  const std::string* file_;
  std::string path_;
};

/// The member `key` of an object; refused where it is not there.
const nlohmann::json& member_of(const nlohmann::json& object, const std::string& key,
                                const Place& place);

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

/// Numbers, text, lists, maps, and what visit_members() knows.
template <class T>
nlohmann::json to_member(const T& value) {
  using nlohmann::json;
  if constexpr (std::is_floating_point_v<T>) {
    return finite(value);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.string();
  } else if constexpr (is_list<T>) {
    json list = json::array();
    for (const auto& item : value) list.push_back(to_member(item));
    return list;
  } else {
    json object = json::object();
    if constexpr (is_map<T>) {
      for (const auto& [key, item] : value) object[key] = to_member(item);
    } else {
      visit_members(value, [&object](const char* key, const auto& member, auto... word) {
        if constexpr (sizeof...(word) == 0) {
          object[key] = to_member(member);
        } else {
          for (std::size_t i = 0; i < member.size(); ++i)
            object[key][std::string((word(i), ...))] = to_member(member[i]);
        }
      });
    }
    return object;
  }
}

/// The inverse; FileError for what to_member() did not write.
template <class T>
void from_member(const nlohmann::json& value, T& target, const Place& place);

template <class T>
void from_number(const nlohmann::json& value, T& target, const Place& place) {
  if constexpr (std::is_same_v<T, bool>) {
    place.expect(value.is_boolean(), value, "true or false");
    target = value.get<bool>();
  } else if constexpr (std::is_floating_point_v<T>) {
    place.expect(value.is_number(), value, "a number");
    target = restored(value.get<double>());
  } else {
    const bool fits = value.is_number_unsigned() && std::in_range<T>(value.get<std::uint64_t>());
    place.expect(fits, value,
                 fmt::format("a whole number up to {}", std::numeric_limits<T>::max()));
    target = value.get<T>();
  }
}

template <class T>
void from_list(const nlohmann::json& value, T& target, const Place& place) {
  place.expect(value.is_array(), value, "a list");
  if constexpr (requires { target.resize(1); })
    target.resize(value.size());
  else
    place.expect(value.size() == target.size(), value, fmt::format("a list of {}", target.size()));
  for (std::size_t i = 0; i < target.size(); ++i) from_member(value[i], target[i], place.at(i));
}

template <class T>
void from_object(const nlohmann::json& value, T& target, const Place& place) {
  place.expect(value.is_object(), value, "an object");
  if constexpr (is_map<T>) {
    target.clear();
    for (const auto& [key, item] : value.items()) from_member(item, target[key], place.at(key));
  } else {
    visit_members(target, [&](const char* key, auto& member, auto... word) {
      const nlohmann::json& found = member_of(value, key, place);
      if constexpr (sizeof...(word) == 0) {
        from_member(found, member, place.at(key));
      } else {
        place.at(key).expect(found.is_object(), found, "an object");
        for (std::size_t i = 0; i < member.size(); ++i) {
          const std::string part((word(i), ...));
          from_member(member_of(found, part, place.at(key)), member[i], place.at(key).at(part));
        }
      }
    });
  }
}

template <class T>
void from_member(const nlohmann::json& value, T& target, const Place& place) {
  if constexpr (std::is_arithmetic_v<T>) {
    from_number(value, target, place);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>) {
    place.expect(value.is_string(), value, "a text");
    target = value.get<std::string>();
  } else if constexpr (is_list<T>) {
    from_list(value, target, place);
  } else {
    from_object(value, target, place);
  }
}

}  // namespace ulpfuzz
