#pragma once

#include <rapidcheck.h>

#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "ulpfuzz/report/members.hpp"

namespace ulpfuzz::test {

/// Texts that break what does not quote: markup, control characters, other scripts. Valid UTF-8.
inline const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts{
      "",
      "plain words",
      "a | b\nc `d` **e** [f](g) \\ | $h$",
      "<b>&amp;</b> ]]> <!-- --> \" ' />",
      std::string("nul \0 bell \a escape \033[31m del \x7f tab \t cr \r", 42),
      "\u202eright to left\u202c \u05d0\u05d1 \u4f60\u597d \U0001f600 \ufffe \ufffd",
      "</script><script>alert(1)</script>",
      "```\nfence\n````\n~~~"};
  return texts;
}

/// Members by their types: any value of each, though no larger than a report needs.
class DrawMembers {
 public:
  template <class T>
  void operator()(const char*, T& member) const {
    draw(member);
  }
  template <class T, class Word>
  void operator()(const char*, T& member, Word) const {
    draw(member);
  }

  void draw(bool& value) const { value = *rc::gen::arbitrary<bool>(); }
  void draw(int& value) const { value = *rc::gen::inRange(-1, 300); }
  void draw(unsigned& value) const { value = *rc::gen::inRange(0U, 40U); }
  void draw(std::uint64_t& value) const {
    value = *rc::gen::weightedOneOf<std::uint64_t>(
        {{8, rc::gen::inRange<std::uint64_t>(0, 1000)},
         {1, rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62U)},
         {1, rc::gen::just(std::numeric_limits<std::uint64_t>::max())}});
  }
  void draw(double& value) const {
    using Limits = std::numeric_limits<double>;
    value = *rc::gen::element(0.0, 1.0, 0.1, 1.0 / 3, 12345.678, 1e-300, Limits::denorm_min(),
                              1e300, Limits::infinity(), 0.9999999999999999);
  }
  void draw(std::string& value) const {
    value = *rc::gen::weightedOneOf<std::string>(
        {{4, rc::gen::element<std::string>("openblas", "batched_vs_sliced", "reference/float",
                                           "random", "2026-11-30T02:00:00Z")},
         {1, rc::gen::elementOf(hostile_texts())}});
  }
  void draw(std::filesystem::path& value) const {
    std::string text;
    draw(text);
    value = text;
  }
  void draw(report::BucketState& value) const {
    value = static_cast<report::BucketState>(
        *rc::gen::inRange(0, static_cast<int>(report::bucket_states)));
  }
  void draw(report::Phase::State& value) const {
    value = static_cast<report::Phase::State>(*rc::gen::inRange(0, 5));
  }
  template <class T, std::size_t N>
  void draw(std::array<T, N>& values) const {
    for (T& value : values) draw(value);
  }
  template <class T>
  void draw(std::vector<T>& values) const {
    values.resize(*rc::gen::inRange<std::size_t>(0, 4));
    for (T& value : values) draw(value);
  }
  template <class T>
  void draw(std::map<std::string, T>& values) const {
    values.clear();
    for (int n = *rc::gen::inRange(0, 4); n > 0; --n) {
      std::string key;
      draw(key);
      draw(values[key]);
    }
  }
  template <class T>
  void draw(T& value) const {
    visit_members(value, *this);
  }
};

/// A night with anything in each of its members: no night that could have been, but one that a
/// writer has to bear.
inline rc::Gen<report::Night> any_night() {
  return rc::gen::exec([] {
    report::Night night;
    DrawMembers{}.draw(night);
    return night;
  });
}

/// Each member that is no list or object, as "key=value" with all bits, in the order of the lists
/// of members: nights are equal if these are.
class Leaves {
 public:
  template <class T>
  static std::vector<std::string> of(const T& value) {
    Leaves leaves;
    leaves.add("", value);
    return leaves.all_;
  }
  template <class T>
  void operator()(const char* key, const T& member) {
    add(key, member);
  }
  template <class T, class Word>
  void operator()(const char* key, const T& member, Word) {
    add(key, member);
  }

 private:
  template <class T>
  void add(const std::string& key, const T& value) {
    if constexpr (std::is_enum_v<T>) {
      all_.push_back(key + "=" + std::to_string(static_cast<int>(value)));
    } else if constexpr (std::is_floating_point_v<T>) {
      all_.push_back(key + "=" + std::to_string(std::bit_cast<std::uint64_t>(value)));
    } else if constexpr (std::is_arithmetic_v<T>) {
      all_.push_back(key + "=" + std::to_string(value));
    } else if constexpr (std::is_convertible_v<T, std::string>) {
      all_.push_back(key + "=" + std::string(value));
    } else if constexpr (requires { value.begin()->second; }) {
      all_.push_back(key + " has " + std::to_string(value.size()));
      for (const auto& [inner, member] : value) add(key + "." + inner, member);
    } else if constexpr (requires { value.begin(); }) {
      all_.push_back(key + " has " + std::to_string(value.size()));
      for (const auto& member : value) add(key + "[]", member);
    } else {
      visit_members(value, *this);
    }
  }
  std::vector<std::string> all_;
};

}  // namespace ulpfuzz::test
