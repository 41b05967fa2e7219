#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include "../output_file.hpp"
#include "../say.hpp"
#include "ulpfuzz/core/named_arithmetics.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

constexpr double most_seconds =
    1e9;  // what clocks count without overflow, and more than anybody waits

constexpr std::uint64_t most_mebibytes = 1 << 30;  // a pebibyte

}  // namespace

std::string in_words(const CLI::ParseError& error, std::string_view verb, std::string_view first) {
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (verb.empty() && !first.empty() && !first.starts_with('-'))
    return fmt::format("'{:.40}' is no verb", first);
  if (verb.empty() && error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError))
    return "no verb";
  const std::string_view place = std::string_view(text).substr(text.rfind(": ") + 1);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError))
    return fmt::format("not understood:{}", place);
  if (const auto at = text.find(": At Most 1 required"); at != text.npos)
    return text.substr(0, at) + ": given more than once";
  if (const auto at = text.find(": 1 required "); at != text.npos)
    return text.substr(0, at) + ": given without its value";
  return text;
}

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

bool write_json(const std::string& file, std::string_view json) {
  if (is_stdout(file)) answer(stdout, json);
  if (file.empty() || is_stdout(file)) return true;
  try {
    write_output(file, json);
    return true;
  } catch (const FileError& error) {
    say(stderr, fmt::format("ulpfuzz: {}\n", error.what()));
    return false;
  }
}

void check_not_input(const std::string& output, const std::filesystem::path& input,
                     std::string_view option) {
  std::error_code ignored;
  if (!output.empty() && !is_stdout(output) && std::filesystem::equivalent(output, input, ignored))
    throw std::invalid_argument(fmt::format("{}: {} is {}, which is read; name another file",
                                            option, output, input.string()));
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

void add_claim(CLI::App& verb, std::string& claim) {
  verb.add_option_function<std::string>(
          "--claim",
          [&claim](const std::string& name) {
            if (!arithmetic_from(name))
              throw CLI::ValidationError(
                  "--claim",
                  fmt::format("no arithmetic '{:.40}'; there are {}", name, arithmetic_names()));
            claim = name;
          },
          "Judge by this arithmetic, whatever the subject claims: " + arithmetic_names() +
              " (ulpfuzz list arithmetics)")
      ->type_name("NAME");
}

const Subject& one_subject(const Registry& subjects, const std::string& name) {
  const auto matches = select_subjects(subjects, {name});
  if (matches.size() != 1)
    throw std::invalid_argument(
        fmt::format("'{}' matches {} subjects; one would fit", name, matches.size()));
  return *matches.front();
}

bool any_unavailable(const Registry& subjects, const std::vector<std::string>& names) {
  bool any = false;
  for (const std::string& name : names) {
    const Subject* subject = subjects.find(name);
    const auto why = subject == nullptr ? std::nullopt : subject->unavailable();
    if (!why) continue;
    any = true;
    say(stderr, fmt::format("ulpfuzz: subject {} is not available: {}\n", name, *why));
  }
  return any;
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

void add_memory(CLI::App& verb, std::uint64_t& mebibytes) {
  verb.add_option_function<std::string>(
          "--memory",
          [&mebibytes](const std::string& text) {
            if (text == "none") return void(mebibytes = 0);
            std::string_view digits = text;
            const std::uint64_t factor = text.ends_with('G') ? 1024 : 1;
            if (text.ends_with('G') || text.ends_with('M')) digits.remove_suffix(1);
            const char* end = digits.data() + digits.size();
            std::uint64_t value = 0;
            const auto [rest, error] = std::from_chars(digits.data(), end, value);
            if (error != std::errc{} || rest != end || value > most_mebibytes / factor)
              throw CLI::ValidationError(
                  "--memory",
                  fmt::format("'{:.40}' is no amount; 4G, 500M or none would fit", text));
            mebibytes = value * factor;
          },
          "What a process that evaluates may take: more is a finding")
      ->type_name("SIZE")
      ->default_str("4G");
}

std::uint64_t random_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 16 ^ device()) & 0xffffffffffff;  // short enough to type
}

void add_sizes(CLI::App& verb, generators::Limits& limits) {
  constexpr std::uint64_t most = 1U << 20;
  const auto add = [&](const char* option, std::uint32_t& size, const char* what) {
    add_number(verb, option, size, what, 1, most)->default_str(std::to_string(size));
  };
  add("--max-batch", limits.batch, "Largest batch");
  add("--max-width", limits.width, "Largest width");
  add("--max-depth", limits.depth, "Most layers");
}

std::uint64_t parse_number(const std::string& name, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc{} && rest == end && value >= least && value <= most) return value;
  throw CLI::ValidationError(
      name,
      fmt::format("'{}' does not fit; write a whole number from {} to {}", text, least, most));
}

CLI::Option* add_number(CLI::App& verb, const std::string& name,
                        std::function<void(std::uint64_t)> store, const std::string& description,
                        std::uint64_t least, std::uint64_t most) {
  const auto take = [=](const std::string& text) { store(parse_number(name, text, least, most)); };
  return verb.add_option_function<std::string>(name, take, description)->type_name("N");
}

}  // namespace ulpfuzz::tool
