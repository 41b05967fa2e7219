#include "settings.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace ulpfuzz::fuzz {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Whether it is the second of two words; the first is the default.
bool is_second(const char* name, std::string_view first, std::string_view second) {
  const std::string value = variable(name);
  if (value.empty() || value == first) return false;
  if (value == second) return true;
  throw std::invalid_argument(
      fmt::format("{} is \"{}\"; {} or {} would fit", name, value, first, second));
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

}  // namespace

Settings settings_from_environment() {
  const std::string findings = variable("ULPFUZZ_FINDINGS");
  return {.collect = is_second("ULPFUZZ_ON_FAILURE", "abort", "collect"),
          .findings = findings.empty() ? "." : findings,
          .subjects = words(variable("ULPFUZZ_SUBJECTS")),
          .feedback = !is_second("ULPFUZZ_FEEDBACK", "share", "none"),
          .statistics = variable("ULPFUZZ_STATISTICS")};
}

}  // namespace ulpfuzz::fuzz
