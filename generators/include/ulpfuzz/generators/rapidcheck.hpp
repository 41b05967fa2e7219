#pragma once

#include <rapidcheck.h>

#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {

/// Random cases for anyone's RapidCheck and GoogleTest code: size 0..100 scales the limits,
/// shrinking goes through simpler(). Printed as describe(case).
rc::Gen<Case> any_case(const Limits& limits = {});

}  // namespace ulpfuzz::generators

namespace ulpfuzz {
/// RapidCheck's printer, found by argument-dependent lookup.
void showValue(const Case& c, std::ostream& os);
}  // namespace ulpfuzz

namespace rc {
template <>
struct Arbitrary<ulpfuzz::Case> {
  static Gen<ulpfuzz::Case> arbitrary() { return ulpfuzz::generators::any_case(); }
};
}  // namespace rc
