#include <fmt/format.h>

#include "fatal_verdict.hpp"
#include "supervisor.hpp"

namespace ulpfuzz {
namespace {

constexpr unsigned most_wrecks = 20;  // in a row, before a subject is stopped

}  // namespace

void Supervisor::ended(std::size_t w, const process::Ending& ending) {
  const Slot& slot = state_.slot(w);
  const Phase phase = slot.phase;
  if (abandoned_ || (phase == Phase::done && ending.well())) return;
  Process& p = workers_[w];
  const std::uint64_t turn = slot.index;
  const Pair& pair = plan_.pair(turn);
  if (phase == Phase::again) {
    note_wrecks(*pair.subject);
    return start(w, turn + options_.jobs, p.suspect);
  }
  if (slot.started == 0 || phase == Phase::generate || phase == Phase::finding ||
      p.lost_at == turn) {
    add_error(fmt::format("worker {} {} at case {}, outside of the subject", w,
                          process::describe(ending), turn));
    if (slot.started == 0) return;  // it cannot even begin
    p.lost_at = turn;
    return start(w, turn + options_.jobs, std::nullopt);
  }
  p.lost_at = turn;
  if (phase == Phase::evaluate) {
    Counters& counters = state_.counters(w)[plan_.pair_index(turn)];
    ++counters.wrecks;
    ++counters.cases;
    ++counters.verdicts[static_cast<std::size_t>(Outcome::fail)];
  }
  const Suspect suspect = suspect_of(w, ending);
  note_wrecks(*pair.subject);
  start(w, turn + options_.jobs, suspect);
}

/// What a worker that died by its subject leaves to its successor.
Suspect Supervisor::suspect_of(std::size_t w, const process::Ending& ending) {
  const std::uint64_t turn = state_.slot(w).index;
  const std::size_t index = plan_.pair_index(turn);
  const double waited = patience(index);
  if (ending.how == process::Ending::How::timed_out) ++hangs_[index];
  return {turn,         fatal_verdict(plan_.pair(turn).subject->name(), ending, waited), {}, {}, {},
          ending.report};
}

/// Stops a subject that does nothing but end processes: a night is not for starting them.
void Supervisor::note_wrecks(const Subject& subject) {
  std::uint64_t all = 0, survived = 0;
  for (std::size_t p = 0; p < plan_.pairs.size(); ++p)
    for (std::size_t w = 0; w < workers_.size() && plan_.pairs[p].subject == &subject; ++w) {
      const Counters& c = state_.counters(w)[p];
      all += c.wrecks;
      survived += c.cases - c.wrecks;
    }
  Wrecks& wrecks = wrecks_[std::string(subject.name())];
  if (wrecks.survived != survived) wrecks.before = wrecks.all;
  wrecks.survived = survived;
  wrecks.all = all;
  if (all - wrecks.before < most_wrecks) return;
  const std::string why = fmt::format(
      "stopped: after each of its last {} cases the process could not go on", most_wrecks);
  if (!stopped_.emplace(subject.name(), why).second) return;
  progress_.say(fmt::format("{} is {}", subject.name(), why));
  bool any_left = false;
  for (std::size_t p = 0; p < plan_.pairs.size(); ++p) {
    if (plan_.pairs[p].subject == &subject) state_.stopped(p) = true;
    any_left = any_left || !state_.stopped(p);
  }
  if (!any_left) state_.stop() = true;
}

}  // namespace ulpfuzz
