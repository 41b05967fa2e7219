#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz::repro {

enum class Language : std::uint8_t { cpp, cuda, torch, jax, numpy };
std::string_view name(Language language);
std::optional<Language> language_from(std::string_view name);
/// "repro.cpp", "repro.cu", "repro_torch.py"
std::string_view usual_file(Language language);

/// A failure that a program shall show.
struct Failure {
  const Case& value;
  const Property& property;
  const Subject& subject;
  CheckOptions check;
  Verdict verdict;    ///< a failing one, of `value`
  std::string cause;  ///< as named where it was found; empty: the verdict's
  std::string claim;  ///< name of the arithmetic it was judged by; empty: what the subject claims
};

/// A self-contained program: its first comment is the one command that builds and runs `file`, its
/// numbers are hex floats, and it needs nothing of ulpfuzz. It evaluates both paths, prints
///     a = 0x1.8p+0 (1.5)  batch of 2, output[row 1][column 0]
///     b = ...             slice row 1         or: reference
///     difference = ...
///     bound = ...
///     FAIL: ... / ok: ...
/// and ends with 1 while the difference is above the bound (or the class differs: NaN, infinity;
/// or, bitwise, the bits), else 0. std::invalid_argument, saying what would fit, for a failure that
/// has no such program: a crash or hang, too many numbers, an op that the language's library lacks.
std::string program(const Failure& failure, Language language, const std::string& file);

/// What else a bug report says.
struct Surroundings {
  std::map<std::string, std::string> environment;
  std::vector<std::string> boundaries;  ///< sentences
  std::string dissection;               ///< text
  std::string command;                  ///< that replays the case with ulpfuzz
};

/// A bug report in Markdown: what, expected bound, observed, environment, repro, boundary, cause.
std::string issue(const Failure& failure, Language language, const std::string& file,
                  const Surroundings& surroundings);

}  // namespace ulpfuzz::repro
