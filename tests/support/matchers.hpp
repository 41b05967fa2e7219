#pragma once

#include <gmock/gmock.h>

#include <bit>
#include <cstdint>

#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::testing_support {

/// A float of the same 32 bits: NaN payloads and the sign of zero count.
MATCHER_P(SameBits, expected, "has the bits of " + ::testing::PrintToString(expected)) {
  *result_listener << "bits " << std::hex << std::bit_cast<std::uint32_t>(float{arg});
  return same_bits(arg, expected);
}

/// At most `limit` floats away.
MATCHER_P2(WithinUlp, expected, limit,
           "is within " + ::testing::PrintToString(limit) + " ulp of " +
               ::testing::PrintToString(expected)) {
  const auto distance = ulp_distance(arg, expected);
  if (distance) *result_listener << *distance << " ulp away";
  return distance && *distance <= std::uint64_t{limit};
}

}  // namespace ulpfuzz::testing_support
