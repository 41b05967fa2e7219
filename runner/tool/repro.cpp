#include "ulpfuzz/repro/repro.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <stdexcept>

#include "../evaluation_size.hpp"
#include "../output_file.hpp"
#include "../say.hpp"
#include "repro_surroundings.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/runner/signals.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

struct Repro {
  std::filesystem::path file, out;
  std::string language, subject, property, claim;
  CheckOptions check;
  double case_timeout = 120;
  bool issue = false;
};

std::string languages() { return "cpp, cuda, torch, jax, numpy"; }

/// The option if given, else the note of that name.
std::vector<std::string> named(const std::string& option, const CaseFile& file, const char* note) {
  if (!option.empty()) return {option};
  const std::string noted = note_of(file, note);
  if (noted.empty())
    throw std::invalid_argument(
        fmt::format("the case does not say which {} fails; --{} is needed", note, note));
  return {noted};
}

const Property& one_property(const std::string& name) {
  const auto matches = select_properties({name});
  if (matches.size() != 1)
    throw std::invalid_argument(
        fmt::format("'{}' matches {} properties; one would fit", name, matches.size()));
  return *matches.front();
}

bool is_stdout(const std::filesystem::path& out) { return tool::is_stdout(out.string()); }

/// The name that the program's first comment gives it.
std::string program_name(const Repro& r, repro::Language language) {
  const bool own = !r.issue && !r.out.empty() && !is_stdout(r.out);
  return own ? r.out.filename().string() : std::string(repro::usual_file(language));
}

int write(const Repro& r, const std::string& text) {
  if (r.out.empty() || is_stdout(r.out)) {
    answer(stdout, text);
    return 0;
  }
  try {
    write_output(r.out, text);
  } catch (const FileError& error) {
    say(stderr, fmt::format("ulpfuzz: {}\n", error.what()));
    return infrastructure;
  }
  say(stderr, fmt::format("written: {}\n", r.out.string()));
  return 0;
}

int run(Repro& r) {
  const auto language = repro::language_from(r.language);
  const Registry own = all_subjects();
  const CaseFile file = read_case(r.file);
  if (r.claim.empty()) r.claim = note_of(file, "claim");
  const Registry judged = r.claim.empty() ? Registry{} : judged_as(r.claim, own);
  const Registry& registry = r.claim.empty() ? own : judged;
  const Subject& subject = one_subject(registry, named(r.subject, file, "subject").front());
  const Property& property = one_property(named(r.property, file, "property").front());
  r.check.bitwise |= noted_bitwise(file);
  if (const auto why = subject.unavailable()) {
    say(stderr, fmt::format("ulpfuzz: subject {} is not available: {}\n", subject.name(), *why));
    return infrastructure;
  }
  if (!r.out.empty() && !is_stdout(r.out) && !can_write(r.out)) return infrastructure;
  check_not_input(r.out.string(), r.file, "--out");
  check_evaluation_size(r.file.string(), file.value, property);
  const SignalGuard signals;
  const auto cancelled = [&signals] { return signals.requests() > 0; };
  const Verdict verdict =
      judge_isolated(property, file.value, subject, r.check, r.case_timeout, cancelled);
  if (!verdict.failed()) {
    say(stderr, fmt::format("ulpfuzz: {} on {}: {}: there is nothing to show; nothing is written\n",
                            property.name, subject.name(), name(verdict.outcome)));
    return too_little;
  }
  const repro::Failure failure{
      file.value, property, subject, r.check, verdict, note_of(file, "cause"), r.claim};
  const std::string name = program_name(r, *language);
  if (!r.issue) return write(r, repro::program(failure, *language, name));
  const repro::Surroundings around = surroundings(file, r.file, failure, cancelled);
  return write(r, repro::issue(failure, *language, name, around));
}

}  // namespace

void add_repro(CLI::App& app, int& code) {
  auto r = std::make_shared<Repro>();
  CLI::App* verb =
      app.add_subcommand("repro", "Write a failing case as a program that needs no ulpfuzz");
  verb->add_option("file", r->file, "Case file")->required()->type_name("CASE");
  verb->add_option_function<std::string>(
          "--lang",
          [r](const std::string& name) {
            if (!repro::language_from(name))
              throw CLI::ValidationError(
                  "--lang", fmt::format("no language '{:.40}'; there are {}", name, languages()));
            r->language = name;
          },
          "Language: " + languages())
      ->required()
      ->type_name("NAME");
  verb->add_flag("--issue", r->issue, "A bug report in Markdown around the program");
  verb->add_option("--out", r->out, "Where to (default: stdout); - is stdout")->type_name("FILE");
  verb->add_option("--subject", r->subject, "Subject (default: the one in the file's notes)");
  verb->add_option("--property", r->property, "Property (default: the one in the file's notes)");
  add_claim(*verb, r->claim);
  verb->add_flag("--bitwise", r->check.bitwise, "Demand equal bits of batched_vs_sliced");
  add_duration(*verb, "--timeout", r->case_timeout, "A case that takes longer is a hang")
      ->default_str("120s");
  verb->footer(
      "The case should be minimal (ulpfuzz shrink). Exit code 0: written; 5: the case does not\n"
      "fail here, and nothing is written. The program's first comment is the command that runs "
      "it.\n"
      "Example:\n  ulpfuzz repro small.case.json --lang torch --out repro_torch.py");
  verb->callback([r, &code] { code = run(*r); });
}

}  // namespace ulpfuzz::tool
