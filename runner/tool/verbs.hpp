#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/registry.hpp"

// Named only: what includes CLI11 takes seconds to compile.
namespace CLI {
class App;
class Option;
class ParseError;
}  // namespace CLI

namespace ulpfuzz::tool {

/// Exit codes that verbs share.
inline constexpr int usage_error = 2;
inline constexpr int infrastructure = 4;
inline constexpr int too_little = 5;

inline constexpr std::uint64_t any_number = ~std::uint64_t{0};

/// --json FILE that means stdout; what people read then goes to stderr.
inline bool is_stdout(const std::string& file) { return file == "-" || file == "/dev/stdout"; }

/// What was wrong with a command line, in one line. `verb`: "run ", or empty if there was none;
/// `first`: the first argument.
std::string in_words(const CLI::ParseError& error, std::string_view verb, std::string_view first);

/// Each adds a verb to the command line; its callback leaves the exit code in `code`.
void add_run(CLI::App& app, int& code);
void add_nightly(CLI::App& app, int& code);
void add_merge(CLI::App& app, int& code);
void add_report(CLI::App& app, int& code);
void add_replay(CLI::App& app, int& code);
void add_shrink(CLI::App& app, int& code);
void add_repro(CLI::App& app, int& code);
void add_list(CLI::App& app, int& code);
void add_complexity(CLI::App& app, int& code);
void add_explain(CLI::App& app, int& code);
void add_probe(CLI::App& app, int& code);

/// check_output(); if it refuses, says so on stderr.
bool can_write(const std::filesystem::path& path);

/// Writes what --json asked for to its file or to stdout, if it was asked for. Where a file cannot
/// be written, says so on stderr and returns false.
bool write_json(const std::string& file, std::string_view json);
/// Throws std::invalid_argument if what --json would overwrite is `input`.
void check_not_input(const std::string& output, const std::filesystem::path& input,
                     std::string_view option = "--json");

/// Honest subjects and planted faults.
Registry all_subjects();

/// Options --subject and --property, repeatable.
void add_selection(CLI::App& verb, std::vector<std::string>& subjects,
                   std::vector<std::string>& properties);

/// Option --claim: the name of an arithmetic (arithmetic_from()).
void add_claim(CLI::App& verb, std::string& claim);

/// The subject that the name or glob matches; std::invalid_argument unless it is one.
const Subject& one_subject(const Registry& subjects, const std::string& name);
/// Says on stderr which of `names`, subjects asked for by name, not by glob, cannot run here, and
/// why; whether there are any.
bool any_unavailable(const Registry& subjects, const std::vector<std::string>& names);

/// "90", "90s", "2m", "1.5h", "200ms" as seconds; CLI::ValidationError for anything else, and for
/// what is not positive or more than 1e9 s, naming the option.
double parse_duration(const std::string& name, const std::string& text);
/// An option that takes such a duration.
CLI::Option* add_duration(CLI::App& verb, const std::string& name, double& seconds,
                          const std::string& description);

/// Option --memory: "4G", "500M", "4096" (mebibytes), "none" as mebibytes, of which 0 is no limit.
void add_memory(CLI::App& verb, std::uint64_t& mebibytes);

/// A whole number from `least` to `most`; CLI::ValidationError for anything else. (CLI11 takes -1
/// and numbers beyond 64 bits for some other number.)
std::uint64_t parse_number(const std::string& name, const std::string& text, std::uint64_t least,
                           std::uint64_t most);
/// An option that takes such a number.
CLI::Option* add_number(CLI::App& verb, const std::string& name,
                        std::function<void(std::uint64_t)> store, const std::string& description,
                        std::uint64_t least, std::uint64_t most);
template <class Number>
CLI::Option* add_number(CLI::App& verb, const std::string& name, Number& target,
                        const std::string& description, std::uint64_t least, std::uint64_t most) {
  const auto store = [&target](std::uint64_t n) { target = static_cast<Number>(n); };
  return add_number(verb, name, std::function<void(std::uint64_t)>(store), description, least,
                    most);
}

/// A seed for who asked for none.
std::uint64_t random_seed();
/// Options --max-batch, --max-width, --max-depth.
void add_sizes(CLI::App& verb, generators::Limits& limits);

}  // namespace ulpfuzz::tool
