#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "journal.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/dissect_guarded.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "verdict_json.hpp"
#include "worker.hpp"

namespace ulpfuzz {
namespace {

constexpr std::size_t most_slips = 3;  // that one shrink adds as buckets
constexpr double closer_seconds = 4;   // for boundaries, and for what matters, at most
constexpr std::uint64_t closer_evaluations = 200;
constexpr double least_left = 1;  // seconds of the campaign, for a closer look to begin

}  // namespace

GuardOptions Worker::shrink_options(const Suspect& suspect) const {
  const FailureClass failure = suspect.verdict.failure;
  GuardOptions options;
  options.evaluations = s_.options.shrink_evaluations;
  options.seconds = s_.options.shrink_seconds;
  if (s_.deadline != process::Clock::time_point::max()) {
    // Many buckets must not eat the search, nor keep it going long after its time.
    const double left = -process::seconds_since(s_.deadline);
    options.seconds = std::min(options.seconds, std::max(5.0, left / 2));
  }
  options.check = check_of(suspect.turn);
  // Smaller cases take no longer: waiting for each as for the first would leave no time to try any.
  options.case_timeout = failure == FailureClass::hang ? std::min(1.0, s_.options.case_timeout)
                                                       : s_.options.case_timeout;
  options.memory_limit = s_.options.memory_limit;
  options.isolate = ends_processes(failure);
  options.confirmation = usual_confirmation(*s_.plan.pair(suspect.turn).subject, name(failure));
  options.activations = recorder();
  options.cancelled = [this] { return s_.state.stop().load(std::memory_order_relaxed); };
  return options;
}

void Worker::shrink_finding(const Suspect& suspect, const Case& c, const std::string& history) {
  BucketWork& work = s_.buckets[suspect.bucket];
  if (work.shrunk || s_.options.shrink_evaluations == 0) return;
  work.shrunk = true;
  Slips slips(1);
  try {
    const ShrinkResult r = shrink_kept(suspect, c, slips);
    if (!r.verdict.failed()) return;
    FindingFiles::Finding f = finding(suspect);
    f.history = fmt::format("{}; shrunk by {} steps in {} evaluations ({})", history, r.accepted,
                            r.evaluations, name(r.stop));
    write_shrunk(suspect, r, f);
  } catch (const std::exception& error) {
    send_error(error.what());
  }
  // What is met while a slip is shrunk is left: there must be an end.
  if (suspect.met_in.empty()) look_into_slips(suspect, slips);
}

/// With a journal beside the original, from which `ulpfuzz shrink` goes on if all this is killed.
ShrinkResult Worker::shrink_kept(const Suspect& suspect, const Case& c, Slips& slips) {
  const Pair& pair = s_.plan.pair(suspect.turn);
  GuardOptions options = shrink_options(suspect);
  std::optional<Journal> journal;
  if (!suspect.case_file.empty())
    journal.emplace(
        with_end(suspect.case_file, ".min.shrink-journal"),
        JournalKey{content_hash(c), std::string(pair.property->name),
                   std::string(pair.subject->name()), pair.subject->environment(), s_.options.claim,
                   options.check, options.confirmation, options.case_timeout, options.memory_limit},
        [](const std::string&) {});
  options.memory = journal ? &*journal : nullptr;
  options.accepted = [&](const Case&, const Verdict&, std::uint64_t) {
    if (journal) journal->sync();
  };
  // Of the same class, a small case too often shows too little to tell one cause from another.
  options.slipped = [&](const Case& met, const Verdict& v) {
    if (v.failure != suspect.verdict.failure) slips.add(files_.bucket(pair, v), met, v);
  };
  const ShrinkResult r = shrink_guarded(c, *pair.property, *pair.subject, options);
  if (journal) journal->remove();
  return r;
}

/// The parent is told last: it renames the files.
void Worker::write_shrunk(const Suspect& suspect, const ShrinkResult& r,
                          const FindingFiles::Finding& f) {
  const auto stem = [this](const char* what) { return fmt::format("{}-{}", what, s_.number); };
  const auto with = [&f](const Verdict& verdict) {
    return FindingFiles::Finding{f.pair,  verdict,  f.number,   f.bucket, f.history,
                                 f.cause, f.met_in, f.boundary, f.closer, f.report};
  };
  FindingFiles::Finding minimal = with(r.verdict);
  const auto path = files_.write(stem("minimal"), r.value, minimal);
  try {
    if (r.severe) files_.write(stem("severe"), r.severe->value, with(r.severe->verdict));
    look_closer(suspect, r, minimal);
    if (!minimal.closer.empty()) files_.write(stem("minimal"), r.value, minimal);
  } catch (const std::exception& error) {
    send_error(error.what());  // the minimal case is there all the same
  }
  send_file(suspect.bucket, path, r.value, r.verdict, true);
}

void Worker::look_closer(const Suspect& suspect, const ShrinkResult& r, FindingFiles::Finding& f) {
  double seconds = closer_seconds;
  if (s_.deadline != process::Clock::time_point::max())
    seconds = std::min(seconds, -process::seconds_since(s_.deadline) / 2);
  if (seconds < least_left || s_.state.stop().load(std::memory_order_relaxed)) return;
  const GuardOptions shrunk = shrink_options(suspect);
  DissectGuard guard;
  guard.check = shrunk.check;
  guard.isolate = shrunk.isolate;
  guard.memory_limit = shrunk.memory_limit;
  guard.case_timeout = std::min(seconds, shrunk.case_timeout);
  guard.boundary.evaluations = guard.dissection.evaluations = closer_evaluations;
  guard.boundary.seconds = guard.dissection.seconds = seconds / 2;
  guard.cancelled = shrunk.cancelled;
  guard.confirmation = shrunk.confirmation;
  const Findings found =
      dissect_guarded({r.value, r.verdict}, r.neighbour, *f.pair.property, *f.pair.subject, guard);
  f.boundary = found.boundary_line();
  for (const Boundary& b : found.boundaries)
    f.closer += fmt::format("boundary:     {}: {}\n", b.what, b.text);
  f.closer += to_text(found.dissection);
}

/// Failures of another class that were met while shrinking: findings of their own.
void Worker::look_into_slips(const Suspect& suspect, const Slips& slips) {
  std::size_t taken = 0;
  for (const auto& [bucket, simplest] : slips.buckets()) {
    BucketWork& work = s_.buckets[bucket];
    if (work.kept > 0) continue;
    if (++taken > most_slips || s_.state.stop().load(std::memory_order_relaxed)) return;
    ++work.kept;
    const Shrunk& met = simplest.front().found;
    Suspect slip{suspect.turn, met.verdict, bucket, {}, suspect.bucket};
    tell(slip, met.value, true);
    slip.case_file = keep(slip, met.value);
    inquire(slip, met.value);
  }
}

}  // namespace ulpfuzz
