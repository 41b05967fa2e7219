#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz::bench {

/// A planted fault and the simplest case that shows it.
struct Planted {
  std::string_view name;
  std::string_view subject;  ///< of planted_faults()
  const Property* property = nullptr;
  FailureClass failure = FailureClass::beyond_bound;
  /// The simplest case but for its numbers, which are zeros.
  Case (*skeleton)() = nullptr;
  std::string_view why;  ///< nothing smaller shows it
  bool bitwise = false;
  Confirmation confirmation = {};

  CheckOptions check_options() const { return {.bitwise = bitwise}; }
};

std::span<const Planted> planted();

/// Judges as `planted` says, in memory of its own.
Judge judge_of(const Planted& planted, const Subject& subject);
/// The kind of case that its starts are.
generators::Limits limits_of(const Planted& planted);

/// Numbers of one kind or of several: normal, small integers, subnormal, large, special.
void draw_numbers(Case& c, std::uint32_t attempt);

/// The skeleton with numbers under which it fails on `subject` with the fault's class. Throws
/// std::logic_error if none of 20,000 draws does.
Shrunk optimum(const Planted& planted, const Subject& subject);

/// How many of the first components of generators::complexity() tell structure: all but those of
/// numbers.
std::size_t structural_components();
std::vector<std::uint64_t> structure(const Case& c);

}  // namespace ulpfuzz::bench
