#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <stdexcept>

#include "../evaluation_size.hpp"
#include "../journal.hpp"
#include "../output_file.hpp"
#include "../progress.hpp"
#include "../say.hpp"
#include "shrink_options.hpp"
#include "shrink_report.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/runner/shrink_guarded.hpp"
#include "ulpfuzz/runner/signals.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

/// What a person watches.
class Watch {
 public:
  void show(const Case& c, const Verdict& v, std::uint64_t evaluations) {
    ++accepted_;
    line_.show(fmt::format("{} evaluations, {} accepted: {} nodes, batch {}, share {:.3g}  {}",
                           with_commas(evaluations), with_commas(accepted_),
                           c.network.nodes().size(), c.batch(), v.share,
                           clock_text(process::seconds_since(began_))));
  }
  void show(const std::string& text) { line_.show(text); }
  void say(const std::string& text) {
    line_.clear();
    ulpfuzz::say(stderr, text);
  }
  void clear() { line_.clear(); }

 private:
  Progress line_{isatty(STDERR_FILENO) != 0, {}};
  std::uint64_t accepted_ = 0;
  process::Clock::time_point began_ = process::Clock::now();
};

JournalKey key_of(const ShrinkReport& r, const GuardOptions& o) {
  return {content_hash(r.given.value),
          std::string(r.property.name),
          std::string(r.subject.name()),
          r.subject.environment(),
          r.claim,
          o.check,
          o.confirmation,
          o.case_timeout,
          o.memory_limit};
}

void shrink_into(ShrinkReport& r, GuardOptions& o, Watch& watch, bool beside) {
  std::optional<Journal> journal;
  if (beside)
    journal.emplace(journal_beside(r.files.minimal), key_of(r, o), [&](const std::string& line) {
      watch.say(fmt::format("ulpfuzz: {}\n", line));
    });
  if (journal && journal->found() > 0)
    watch.say(fmt::format("ulpfuzz: goes on from {} with {} verdicts known\n",
                          journal_beside(r.files.minimal).string(), journal->found()));
  o.memory = journal ? &*journal : nullptr;
  o.activations = recorder();
  o.accepted = [&](const Case& c, const Verdict& v, std::uint64_t evaluations) {
    watch.show(c, v, evaluations);
    if (journal) journal->sync();
  };
  o.slipped = [&](const Case& c, const Verdict& v) {
    r.slips.add(bucket_id(r.property, r.subject, v), c, v);
  };
  r.result = shrink_guarded(r.given.value, r.property, r.subject, o);
  watch.clear();
  if (!journal || !journal->kept()) return;
  const ShrinkStop stop = r.result.stop;
  if (stop == ShrinkStop::fixed_point || stop == ShrinkStop::not_failing)
    journal->remove();
  else
    r.journal = journal_beside(r.files.minimal).string();
}

void look_closer(ShrinkReport& r, const ShrinkCommand& s, Watch& watch) {
  DissectGuard guard;
  guard.check = s.options.check;
  guard.case_timeout = s.options.case_timeout;
  guard.memory_limit = s.options.memory_limit;
  guard.cancelled = s.options.cancelled;
  guard.confirmation = s.options.confirmation;
  guard.isolate = s.options.isolate || ends_processes(r.result.verdict.failure);
  watch.show("looking for boundaries");
  r.findings = dissect_guarded({r.result.value, r.result.verdict}, r.result.neighbour, r.property,
                               r.subject, guard);
  watch.clear();
}

int not_failing(const ShrinkReport& r, const ShrinkCommand& s) {
  answer(is_stdout(s.json) ? stderr : stdout,
         fmt::format("{} holds for {} on this case ({}): nothing to shrink\n", r.property.name,
                     r.subject.name(), name(r.result.before.outcome)));
  return write_json(s.json, shrink_json(r, 0)) ? 0 : infrastructure;
}

/// The result first: what follows may take long, or the process along.
void write_and_tell(ShrinkReport& r, const ShrinkCommand& s, Watch& watch, bool beside) {
  const bool json_only = is_stdout(s.json);
  write_minimal(r);
  if (beside) write_severe(r);
  if (!s.ladder.empty()) write_ladder(r, s.ladder);
  if (beside) write_slips(r);
  answer(json_only ? stderr : stdout, result_text(r, s.verbose));
  if (s.explain) look_closer(r, s, watch);
  if (beside && !r.findings.boundaries.empty()) write_minimal(r);
  answer(json_only ? stderr : stdout, account_text(r));
}

int shrink_and_tell(ShrinkReport& r, ShrinkCommand& s) {
  const bool beside = is_a_place_for_files(r.files.minimal);
  Watch watch;
  shrink_into(r, s.options, watch, beside);
  if (r.result.stop == ShrinkStop::not_failing) return not_failing(r, s);
  if (!r.result.verdict.failed()) {
    say(stderr, "ulpfuzz: interrupted before anything simpler was found; nothing is written\n");
    return too_little;
  }
  try {
    write_and_tell(r, s, watch, beside);
  } catch (const FileError& error) {
    say(stderr, fmt::format("ulpfuzz: {}\n", error.what()));
    return infrastructure;
  }
  return write_json(s.json, shrink_json(r, 1)) ? 1 : infrastructure;
}

int run(ShrinkCommand& s) {
  const Registry own = all_subjects();
  const CaseFile file = given_case(s);
  if (s.claim.empty()) s.claim = note_of(file, "claim");
  const Registry judged = s.claim.empty() ? Registry{} : judged_as(s.claim, own);
  const Property& property = chosen_property(s, file);
  const Subject& subject = chosen_subject(s, file, s.claim.empty() ? own : judged);
  if (noted_bitwise(file)) s.options.check.bitwise = true;
  if (const auto why = subject.unavailable()) {
    say(stderr, fmt::format("ulpfuzz: subject {} is not available: {}\n", subject.name(), *why));
    return infrastructure;
  }
  s.options.confirmation = chosen_confirmation(s, file, subject);
  if (s.out.empty()) s.out = with_end(s.file, ".min.case.json");
  check_outputs(s);
  if (!s.json.empty() && !is_stdout(s.json) && !can_write(s.json)) return infrastructure;
  check_evaluation_size(s.file.string(), file.value, property);
  const SignalGuard signals;
  s.options.cancelled = [&signals] { return signals.requests() > 0; };
  if (s.verify) return verify(s, file, property, subject);
  if (!can_write(s.out)) return infrastructure;
  ShrinkReport report{s.file,
                      file,
                      property,
                      subject,
                      s.claim,
                      s.options.check.bitwise,
                      s.options.confirmation,
                      {},
                      Slips{3},
                      {},
                      {},
                      {s.out, {}, {}, {}}};
  return shrink_and_tell(report, s);
}

}  // namespace

void add_shrink(CLI::App& app, int& code) {
  auto s = std::make_shared<ShrinkCommand>();
  CLI::App* verb =
      app.add_subcommand("shrink", "Make a failing case minimal, and say why it fails");
  add_options(*verb, *s);
  verb->footer(
      "Exit code 1: the case fails and the result is written; 0: it does not fail.\n"
      "With --verify 0: nothing simpler fails alike; 1: something does.\n"
      "Killed or stopped, it goes on where it was from the journal beside the result.\n"
      "Example:\n  ulpfuzz shrink report/findings/BUCKET/HASH.case.json --out small.case.json");
  verb->callback([s, &code] { code = run(*s); });
}

}  // namespace ulpfuzz::tool
