#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "../output_file.hpp"
#include "../say.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

constexpr double most_seconds =
    1e9;  // what clocks count without overflow, and more than anybody waits

}  // namespace

Registry all_subjects() {
  Registry registry = builtin_subjects();
  registry.merge(planted_faults());
  return registry;
}

bool can_write(const std::filesystem::path& path) {
  try {
    check_output(path);
    return true;
  } catch (const FileError& error) {
    say(stderr, fmt::format("ulpfuzz: {}\n", error.what()));
    return false;
  }
}

void add_selection(CLI::App& verb, std::vector<std::string>& subjects,
                   std::vector<std::string>& properties) {
  verb.add_option("--subject", subjects, "Subject, or glob as 'ref*'; repeatable (ulpfuzz list)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  verb.add_option("--property", properties, "Property, or glob; repeatable (ulpfuzz list)")
      ->type_name("GLOB")
      ->allow_extra_args(false);
}

double parse_duration(const std::string& name, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const double factor = unit.empty() || unit == "s"    ? 1
                        : unit == "m" || unit == "min" ? 60
                        : unit == "h"                  ? 3600
                        : unit == "ms"                 ? 1e-3
                                                       : 0;
  if (error != std::errc{} || factor == 0 || !std::isfinite(value))
    throw CLI::ValidationError(
        name, fmt::format("'{}' is no time; 90, 90s, 2m, 1h or 200ms would fit", text));
  const double seconds = value * factor;
  if (!(seconds > 0) || seconds > most_seconds)
    throw CLI::ValidationError(
        name, fmt::format("'{}' must be positive and at most {:g} seconds", text, most_seconds));
  return seconds;
}

CLI::Option* add_duration(CLI::App& verb, const std::string& name, double& seconds,
                          const std::string& description) {
  return verb
      .add_option_function<std::string>(
          name, [name, &seconds](const std::string& text) { seconds = parse_duration(name, text); },
          description)
      ->type_name("TIME");
}

std::uint64_t parse_number(const std::string& name, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && rest == end && value >= least && value <= most) return value;
  throw CLI::ValidationError(name,
                             fmt::format("'{}' does not fit; {}a whole number from {} to {}", text,
                                         least == 1 ? "it must be positive, " : "", least, most));
}

}  // namespace ulpfuzz::tool
