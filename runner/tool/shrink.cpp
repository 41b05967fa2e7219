#include "ulpfuzz/runner/shrink_guarded.hpp"

#include <fmt/format.h>

#include <memory>
#include <stdexcept>

#include "../evaluation_size.hpp"
#include "../notes.hpp"
#include "../output_file.hpp"
#include "../say.hpp"
#include "../signals.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

struct Shrink {
  std::filesystem::path file, out;
  std::string subject, property, claim;
  GuardOptions options;
};

/// The option if given, else the note of that name.
std::vector<std::string> named(const std::string& option, const CaseFile& file, const char* note) {
  if (!option.empty()) return {option};
  const auto at = file.notes.find(note);
  if (at == file.notes.end() || at->second.empty())
    throw std::invalid_argument(
        fmt::format("the case does not say which {} fails; --{} is needed", note, note));
  return {at->second};
}

template <class Item>
const Item& one(const std::vector<const Item*>& items, const char* what) {
  if (items.size() != 1)
    throw std::invalid_argument(
        fmt::format("{} matches {} names; one would fit", what, items.size()));
  return *items.front();
}

std::filesystem::path default_out(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  for (const std::string_view suffix : {".case.json", ".case"})
    if (name.ends_with(suffix)) {
      name.resize(name.size() - suffix.size());
      break;
    }
  return file.parent_path() / (name + ".min.case.json");
}

void print_size(const char* label, const Case& c, const Verdict& v) {
  answer(stdout,
         fmt::format("{}: {}\n  {} ({}), share {:.4g}\n", label, describe(c), name(v.failure),
                     v.cause.empty() ? "no cause named" : v.cause, v.share));
}

/// As write_case() has it, but a device stays one.
void write_result(const std::filesystem::path& path, const CaseFile& file) {
  if (path.extension() != ".case") return write_output(path, to_text(file));
  const auto bytes = to_bytes(file);
  write_output(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

int run(Shrink& s) {
  const Registry own = all_subjects();
  CaseFile file = read_case(s.file);
  if (s.claim.empty() && file.notes.count("claim") != 0) s.claim = file.notes.at("claim");
  const Registry judged = s.claim.empty() ? Registry{} : judged_as(s.claim, own);
  const Registry& registry = s.claim.empty() ? own : judged;
  const Subject& subject =
      one(select_subjects(registry, named(s.subject, file, "subject")), "--subject");
  const Property& property =
      one(select_properties(named(s.property, file, "property")), "--property");
  if (noted_bitwise(file)) s.options.check.bitwise = true;
  if (const auto why = subject.unavailable()) {
    say(stderr, fmt::format("ulpfuzz: subject {} is not available: {}\n", subject.name(), *why));
    return infrastructure;
  }
  if (s.out.empty()) s.out = default_out(s.file);
  if (!can_write(s.out)) return infrastructure;
  check_evaluation_size(s.file.string(), file.value, property);
  const SignalGuard signals;
  s.options.cancelled = [&signals] { return signals.requests() > 0; };
  const ShrinkResult r = shrink_guarded(file.value, property, subject, s.options);
  if (r.stop == ShrinkStop::not_failing) {
    answer(stdout, fmt::format("{} holds for {} on this case ({}): nothing to shrink\n",
                               property.name, subject.name(), name(r.before.outcome)));
    return 0;
  }
  if (!r.verdict.failed()) {
    say(stderr, "ulpfuzz: interrupted before anything simpler was found; nothing is written\n");
    return too_little;
  }
  print_size("before", file.value, r.before);
  print_size("after", r.value, r.verdict);
  answer(stdout, fmt::format("{} evaluations, {} accepted, {:.1f} s: {}\n", r.evaluations,
                             r.accepted, r.seconds, name(r.stop)));
  file.value = r.value;
  file.notes["property"] = property.name;
  file.notes["subject"] = subject.name();
  if (!s.claim.empty()) file.notes["claim"] = s.claim;
  if (s.options.check.bitwise) file.notes["bitwise"] = "yes";
  file.notes["class"] = name(r.verdict.failure);
  file.notes["cause"] = r.before.cause;  // a small case shows too little to name one
  file.notes["comment"] = r.verdict.reason;
  try {
    write_result(s.out, file);
  } catch (const FileError& error) {
    say(stderr, fmt::format("ulpfuzz: {}\n", error.what()));
    return infrastructure;
  }
  answer(stdout, fmt::format("\n{}\nwritten: {}\n", explain(property, r.value, subject, r.verdict),
                             s.out.string()));
  return 1;
}

}  // namespace

void add_shrink(CLI::App& app, int& code) {
  auto s = std::make_shared<Shrink>();
  CLI::App* verb = app.add_subcommand("shrink", "Make a failing case minimal");
  verb->add_option("file", s->file, "Case file")->required()->type_name("FILE");
  verb->add_option("--out", s->out, "Result (default: FILE with .min before .case.json)")
      ->type_name("FILE");
  verb->add_option("--subject", s->subject, "Subject (default: the one in the file's notes)");
  verb->add_option("--property", s->property, "Property (default: the one in the file's notes)");
  add_claim(*verb, s->claim);
  verb->add_flag("--bitwise", s->options.check.bitwise, "Demand equal bits of batched_vs_sliced");
  add_number(*verb, "--shrink-evaluations", s->options.evaluations, "Most evaluations", 1,
             any_number)
      ->default_str(std::to_string(s->options.evaluations));
  add_duration(*verb, "--shrink-time", s->options.seconds, "Longest time")->default_str("30s");
  add_duration(*verb, "--timeout", s->options.case_timeout,
               "A candidate that takes longer is a hang")
      ->default_str("20s");
  verb->footer(
      "Exit code 1: the case fails and the result is written; 0: it does not fail.\n"
      "Example:\n  ulpfuzz shrink report/findings/BUCKET/HASH.case.json --out small.case.json");
  verb->callback([s, &code] { code = run(*s); });
}

}  // namespace ulpfuzz::tool
