#pragma once

#include <map>
#include <span>
#include <string>

#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {

/// What a result may depend on besides the case.
struct Environment {
  /// "ulpfuzz", "compiler", "cpu", "isa", "os", "libc", "fp_environment"
  std::map<std::string, std::string> machine;
  std::string claim;  ///< what all were judged by; empty: by what each claims
  std::map<std::string, std::string> subjects;   ///< Subject::environment() by name, if any
  std::map<std::string, std::string> variables;  ///< OPENBLAS_*, OMP_NUM_THREADS, ... that are set
};

Environment environment_of(std::span<const Subject* const> subjects);

/// One line, as it goes into the notes of a case file.
std::string describe(const Environment& environment);

}  // namespace ulpfuzz
