#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ulpfuzz/runner/json_place.hpp"
#include "ulpfuzz/runner/member_write.hpp"

namespace ulpfuzz {

/// The inverse of to_member(); FileError for what it did not write. Enums are read by the words
/// that name() has for them, which is empty beyond the last.
template <class T>
void from_member(const nlohmann::json& value, T& target, const Place& place);

template <class T>
void from_whole_number(const nlohmann::json& value, T& target, const Place& place) {
  using Limits = std::numeric_limits<T>;
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<T>(value.get<std::uint64_t>())
                        : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
  place.expect(fits, value,
               fmt::format("a whole number from {} to {}", Limits::min(), Limits::max()));
  target = value.get<T>();
}

template <class T>
void from_word(const nlohmann::json& value, T& target, const Place& place) {
  place.expect(value.is_string(), value, "a text");
  const std::string word = value;
  std::string words;
  for (int i = 0;; ++i) {
    const std::string_view candidate = name(static_cast<T>(i));
    if (candidate.empty()) break;
    if (candidate == word) return void(target = static_cast<T>(i));
    words += fmt::format("{}{}", i == 0 ? "" : ", ", candidate);
  }
  place.refuse(fmt::format("'{:.40}' is none of its words; there are {}", word, words));
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

template <class T, class Word>
void from_words(const nlohmann::json& value, T& target, const Place& place, Word word) {
  place.expect(value.is_object(), value, "an object");
  std::set<std::string> known;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const std::string key(word(i));
    known.insert(key);
    from_member(member_of(value, key, place), target[i], place.at(key));
  }
  expect_no_other(value, known, place);
}

/// `besides`: keys that no member has and that may be there.
template <class T>
void from_object(const nlohmann::json& value, T& target, const Place& place,
                 std::set<std::string> besides = {}) {
  place.expect(value.is_object(), value, "an object");
  if constexpr (is_map<T>) {
    target.clear();
    for (const auto& [key, item] : value.items()) from_member(item, target[key], place.at(key));
  } else {
    visit_members(target, [&](const char* key, auto& member, auto... word) {
      besides.insert(key);
      const nlohmann::json& found = member_of(value, key, place);
      if constexpr (sizeof...(word) == 0)
        from_member(found, member, place.at(key));
      else
        from_words(found, member, place.at(key), word...);
    });
    expect_no_other(value, besides, place);
  }
}

template <class T>
void from_member(const nlohmann::json& value, T& target, const Place& place) {
  if constexpr (std::is_enum_v<T>) {
    from_word(value, target, place);
  } else if constexpr (std::is_floating_point_v<T>) {
    place.expect(value.is_number(), value, "a number");
    target = read_number(value.get<double>());
  } else if constexpr (std::is_same_v<T, bool>) {
    place.expect(value.is_boolean(), value, "true or false");
    target = value.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    from_whole_number(value, target, place);
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
