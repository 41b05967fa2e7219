#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::tool {

/// Exit codes that verbs share.
inline constexpr int usage_error = 2;
inline constexpr int infrastructure = 4;

/// Each adds a verb to the command line; its callback leaves the exit code in `code`.
void add_run(CLI::App& app, int& code);
void add_replay(CLI::App& app, int& code);
void add_shrink(CLI::App& app, int& code);
void add_list(CLI::App& app, int& code);

/// Honest subjects and planted faults.
Registry all_subjects();

/// Options --subject and --property, repeatable.
void add_selection(CLI::App& verb, std::vector<std::string>& subjects,
                   std::vector<std::string>& properties);

/// "90", "90s", "2m", "1.5h", "200ms" as seconds; CLI::ValidationError for anything else.
double parse_duration(const std::string& text);
/// An option that takes such a duration.
CLI::Option* add_duration(CLI::App& verb, const std::string& name, double& seconds,
                          const std::string& description);

}  // namespace ulpfuzz::tool
