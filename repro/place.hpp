#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::repro {

/// The element that ElementEvidence::where names.
struct Place {
  enum class Kind : std::uint8_t { output, jacobian, summed };
  Kind kind = Kind::output;
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::size_t wrt = 0;  ///< inputs first, then parameters
  std::size_t element = 0;
};

/// Nothing for other words, and for an element that the case does not have.
std::optional<Place> place_from(std::string_view where, const Case& c);

/// "slice rows 0-3 with 2 rows of padding": as the evidence of properties names a slice.
std::string slice_words(const Slice& slice);

}  // namespace ulpfuzz::repro
