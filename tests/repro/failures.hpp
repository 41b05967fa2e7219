#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ulpfuzz/repro/repro.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::repro {

/// A small failing case made by hand, of a planted fault.
struct KnownFailure {
  std::string name;  ///< of the test: the fault, then "_gradient" where it is one
  std::string subject;
  const Property* property = nullptr;
  bool bitwise = false;
  Case value;
};

/// Of both properties, at least one of each class that a program can show in every language.
const std::vector<KnownFailure>& known_failures();
const KnownFailure& known_failure(const std::string& name);
inline void PrintTo(const KnownFailure& known, std::ostream* out) { *out << known.name; }

/// Honest subjects and planted faults.
const Registry& known_subjects();

/// Judges it; expects it to fail. The failure refers to `known`.
Failure judged(const KnownFailure& known);

}  // namespace ulpfuzz::repro
