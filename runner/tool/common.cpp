#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "verbs.hpp"

namespace ulpfuzz::tool {

Registry all_subjects() {
  Registry registry = builtin_subjects();
  registry.merge(planted_faults());
  return registry;
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

double parse_duration(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const double factor = unit.empty() || unit == "s"    ? 1
                        : unit == "m" || unit == "min" ? 60
                        : unit == "h"                  ? 3600
                        : unit == "ms"                 ? 1e-3
                                                       : 0;
  if (error != std::errc{} || factor == 0 || !(value >= 0) || !std::isfinite(value))
    throw CLI::ValidationError(
        fmt::format("'{}' is no time; 90, 90s, 2m, 1h or 200ms would fit", text));
  return value * factor;
}

CLI::Option* add_duration(CLI::App& verb, const std::string& name, double& seconds,
                          const std::string& description) {
  return verb
      .add_option_function<std::string>(
          name, [&seconds](const std::string& text) { seconds = parse_duration(text); },
          description)
      ->type_name("TIME");
}

}  // namespace ulpfuzz::tool
