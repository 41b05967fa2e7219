#pragma once

#include <fmt/format.h>

#include <set>

#include "member_write.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::report {

/// Where in a file a value is, for "NAME: buckets[3].count: what is wrong; how to mend it".
class Place {
 public:
  explicit Place(const std::string& file) : file_(&file) {}
  Place at(const std::string& key) const {
    return {*file_, path_.empty() ? key : fmt::format("{}.{}", path_, key)};
  }
  Place at(std::size_t i) const { return {*file_, fmt::format("{}[{}]", path_, i)}; }
  [[noreturn]] void refuse(const std::string& what) const;
  /// Refuses a value of another kind than `wanted`, as "a whole number".
  void expect(bool holds, const Json& value, const std::string& wanted) const;

 private:
  Place(const std::string& file, std::string path) : file_(&file), path_(std::move(path)) {}
  const std::string* file_;
  std::string path_;
};

/// The member `key` of an object; refused where it is not there.
const Json& member_of(const Json& object, const std::string& key, const Place& place);
/// Refuses an object with other keys than these.
void expect_no_other(const Json& object, const std::set<std::string>& known, const Place& place);
/// The inverse of written_number(), for infinities.
double read_number(const Json& value, const Place& place);
std::string read_text(const Json& value, const Place& place);

template <class T>
void read(const Json& value, T& target, const Place& place);

template <class T>
void read_count(const Json& value, T& target, const Place& place) {
  using Limits = std::numeric_limits<T>;
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<T>(value.get<std::uint64_t>())
                        : value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
  place.expect(fits, value,
               fmt::format("a whole number from {} to {}", Limits::min(), Limits::max()));
  target = value.get<T>();
}

template <class T>
void read_word(const Json& value, T& target, const Place& place) {
  const std::string word = read_text(value, place);
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
void read_list(const Json& value, std::vector<T>& target, const Place& place) {
  place.expect(value.is_array(), value, "a list");
  target.resize(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) read(value[i], target[i], place.at(i));
}

template <class T, std::size_t N>
void read_list(const Json& value, std::array<T, N>& target, const Place& place) {
  place.expect(value.is_array() && value.size() == N, value, fmt::format("a list of {}", N));
  for (std::size_t i = 0; i < N; ++i) read(value[i], target[i], place.at(i));
}

template <class T, class Word>
void read_words(const Json& value, T& target, const Place& place, Word word) {
  place.expect(value.is_object(), value, "an object");
  std::set<std::string> known;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const std::string key(word(i));
    known.insert(key);
    read(member_of(value, key, place), target[i], place.at(key));
  }
  expect_no_other(value, known, place);
}

/// `derived`: keys that are written for people and say nothing new.
template <class T>
void read_members(const Json& value, T& target, const Place& place,
                  std::set<std::string> derived = {}) {
  place.expect(value.is_object(), value, "an object");
  visit_members(target, [&](const char* key, auto& member, auto... word) {
    derived.insert(key);
    const Json& found = member_of(value, key, place);
    if constexpr (sizeof...(word) == 0)
      read(found, member, place.at(key));
    else
      read_words(found, member, place.at(key), word...);
  });
  expect_no_other(value, derived, place);
}

template <class T>
void read(const Json& value, T& target, const Place& place) {
  if constexpr (std::is_enum_v<T>) {
    read_word(value, target, place);
  } else if constexpr (std::is_floating_point_v<T>) {
    target = read_number(value, place);
  } else if constexpr (std::is_same_v<T, bool>) {
    place.expect(value.is_boolean(), value, "true or false");
    target = value.get<bool>();
  } else if constexpr (std::is_integral_v<T>) {
    read_count(value, target, place);
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::filesystem::path>) {
    target = read_text(value, place);
  } else if constexpr (is_list<T>) {
    read_list(value, target, place);
  } else if constexpr (is_map<T>) {
    place.expect(value.is_object(), value, "an object");
    target.clear();
    for (const auto& [key, member] : value.items()) read(member, target[key], place.at(key));
  } else {
    read_members(value, target, place);
  }
}

}  // namespace ulpfuzz::report
