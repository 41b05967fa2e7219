#include "shrink_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

constexpr unsigned most_confirmations = 1000;

/// The option if given, else the note of that name.
std::vector<std::string> named(const std::string& option, const CaseFile& file, const char* note) {
  if (!option.empty()) return {option};
  if (std::string noted = note_of(file, note); !noted.empty()) return {std::move(noted)};
  throw std::invalid_argument(
      fmt::format("the case does not say which {} fails; --{} is needed", note, note));
}

template <class Item>
const Item& one(const std::vector<const Item*>& items, const char* what) {
  if (items.size() != 1)
    throw std::invalid_argument(
        fmt::format("{} matches {} names; one would fit", what, items.size()));
  return *items.front();
}

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    throw FileError(fmt::format("{}: is a folder; name a libFuzzer input", path.string()));
  std::ifstream file(path, std::ios::binary);
  std::vector<std::uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file.good() && !file.eof())
    throw FileError(fmt::format("{}: cannot be read; name a libFuzzer input", path.string()));
  return bytes;
}

void add_what_to_shrink(CLI::App& verb, ShrinkCommand& s) {
  verb.add_option("file", s.file, "Case file")->required()->type_name("FILE");
  verb.add_flag("--fuzzer-input", s.fuzzer_input, "FILE is an input of a libFuzzer target");
  verb.add_option("--subject", s.subject, "Subject (default: the one in the file's notes)");
  verb.add_option("--property", s.property, "Property (default: the one in the file's notes)");
  add_claim(verb, s.claim);
  verb.add_flag("--bitwise", s.options.check.bitwise, "Demand equal bits of batched_vs_sliced");
}

void add_budget(CLI::App& verb, GuardOptions& o) {
  add_number(verb, "--shrink-evaluations", o.evaluations, "Most evaluations", 1, any_number)
      ->default_str(std::to_string(o.evaluations));
  add_duration(verb, "--shrink-time", o.seconds, "Longest time")->default_str("30s");
  add_number(verb, "--stall", o.stall, "End after so many evaluations in vain (0: never)", 0,
             any_number)
      ->default_str("0");
  add_duration(verb, "--timeout", o.case_timeout, "A candidate that takes longer is a hang")
      ->default_str("20s");
  add_memory(verb, o.memory_limit);
  verb.add_flag("--isolate", o.isolate,
                "Judge each candidate in a process of its own from the start");
}

void add_results(CLI::App& verb, ShrinkCommand& s) {
  verb.add_option("--out", s.out, "Result (default: FILE with .min before .case.json)")
      ->type_name("FILE");
  verb.add_flag("!--no-severe", s.options.severe,
                "Do not look for the case that keeps half the share");
  verb.add_option("--ladder", s.ladder, "Folder for the smallest case of each octave of share")
      ->type_name("DIR");
  verb.add_flag("!--no-explain", s.explain, "Look for no boundaries, nor for what matters");
  CLI::Option* verify =
      verb.add_flag("--verify", s.verify,
                    "Only find out whether any edit makes FILE simpler and keeps its failure");
  verb.add_flag("--verbose", s.verbose, "Count what each pass tried");
  verb.add_option("--json", s.json, "The same for machines; - is stdout")
      ->type_name("FILE")
      ->excludes(verify);
}

}  // namespace

void add_options(CLI::App& verb, ShrinkCommand& s) {
  add_what_to_shrink(verb, s);
  add_budget(verb, s.options);
  verb.add_option("--confirm", s.confirm,
                  "A candidate fails if it does in K of N runs (default: 1/1; 3/5 for what does "
                  "not repeat)")
      ->type_name("K/N");
  add_results(verb, s);
}

CaseFile given_case(const ShrinkCommand& s) {
  if (!s.fuzzer_input) return read_case(s.file);
  const std::vector<std::uint8_t> bytes = bytes_of(s.file);
  if (!bytes.empty() && bytes.front() == '{') return read_case(s.file);
  const bool gradient = chosen_property(s, {}).needs_gradient;
  return {generators::case_from_fuzzer(
              bytes, gradient ? generators::gradient_limits() : generators::Limits{}),
          {}};
}

const Property& chosen_property(const ShrinkCommand& s, const CaseFile& file) {
  return one(select_properties(named(s.property, file, "property")), "--property");
}

const Subject& chosen_subject(const ShrinkCommand& s, const CaseFile& file,
                              const Registry& subjects) {
  return one(select_subjects(subjects, named(s.subject, file, "subject")), "--subject");
}

Confirmation chosen_confirmation(const ShrinkCommand& s, const CaseFile& file,
                                 const Subject& subject) {
  if (s.confirm.empty()) return usual_confirmation(subject, note_of(file, "class"));
  const std::size_t slash = s.confirm.find('/');
  if (slash == std::string::npos)
    throw std::invalid_argument(
        fmt::format("--confirm: '{}' does not fit; 3/5 would: 3 of 5 runs", s.confirm));
  Confirmation c;
  c.tried = static_cast<unsigned>(
      parse_number("--confirm", s.confirm.substr(slash + 1), 1, most_confirmations));
  c.wanted =
      static_cast<unsigned>(parse_number("--confirm", s.confirm.substr(0, slash), 1, c.tried));
  return c;
}

void check_outputs(const ShrinkCommand& s) {
  namespace fs = std::filesystem;
  if (is_stdout(s.out.string()))
    throw std::invalid_argument("--out: the result is a file, not '-'; --json - prints it");
  check_not_input(s.json, s.file);
  check_not_input(s.out.string(), s.file, "--out");
  std::error_code ignored;
  const bool files = !s.json.empty() && is_a_place_for_files(s.out);
  if (files && fs::weakly_canonical(s.json, ignored) == fs::weakly_canonical(s.out, ignored))
    throw std::invalid_argument(
        fmt::format("--json: {} is the result, too; name another file", s.json));
  if (!s.ladder.empty() && fs::exists(s.ladder, ignored) && !fs::is_directory(s.ladder, ignored))
    throw std::invalid_argument(
        fmt::format("--ladder: {} is a file; name a folder", s.ladder.string()));
}

bool is_a_place_for_files(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
}

}  // namespace ulpfuzz::tool
