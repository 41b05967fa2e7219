#include <fmt/format.h>

#include "budget.hpp"
#include "files.hpp"
#include "given.hpp"
#include "phases.hpp"
#include "trials.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace {

/// Part of the trials that showed the same both times, in processes of their own. What showed
/// nothing at all (not reached, process ended) does not count.
double stability_of(const std::vector<GivenCase>& cases, Session& session, double until) {
  std::vector<Trial> trials;
  for (const GivenCase& c : cases)
    if (session.too_large().count(c.name.string()) == 0)
      trials.push_back({&c.content, properties::find(c.content.notes.at("property")),
                        session.judges().find(c.subject)});
  TrialOptions o;
  o.jobs = session.options().jobs;
  o.case_timeout = session.options().case_timeout;
  o.memory_limit = session.options().memory_limit;
  o.cancelled = [&] {
    return session.stopping() || (session.by_time() && session.elapsed() > until);
  };
  const auto once = judge_all(trials, o);
  const auto twice = judge_all(trials, o);
  std::size_t same = 0, both = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!once[i] || !twice[i]) continue;
    ++both;
    if (once[i]->features == twice[i]->features) ++same;
  }
  return both == 0 ? 1 : static_cast<double>(same) / static_cast<double>(both);
}

}  // namespace

void replay_corpus(Session& session) {
  report::Phase& p = session.phase("replay");
  if (p.state == report::Phase::State::done || session.stopping()) return;
  const double began = session.elapsed();
  p.budget = part_of_replay * session.options().seconds;
  Collected corpus = collect({session.options().corpus / "distilled"}, session.stop_asked());
  tell_unusable(session, "replay", corpus.unusable);
  keep_what_is_tried(session, "replay", corpus.cases);
  session.night().corpus = corpus.cases.size();
  if (corpus.cases.empty()) {
    p.state = report::Phase::State::skipped;
    add_note(p, "no distilled corpus yet");
    return;
  }
  CampaignOptions o = session.usual();
  o.subjects.clear();
  o.properties.clear();  // of their notes
  for (const GivenCase& c : corpus.cases) o.subjects.push_back(c.subject);
  o.given = corpus.cases;
  o.seconds = p.budget / 2;  // the rest is for the features
  const CampaignResult r = session.campaign("replay", o, Fold::everything);
  if (!session.stopping())
    session.night().stability = stability_of(corpus.cases, session, began + p.budget);
  p.seconds = session.elapsed() - began;
  std::erase_if(corpus.cases, [&](const GivenCase& c) {
    return session.too_large().count(c.name.string()) != 0;
  });
  const bool all = r.cases >= corpus.cases.size();
  p.state = all && !session.stopping() ? report::Phase::State::done : report::Phase::State::cut;
  add_note(p, fmt::format("{} of {} cases; the same features twice: {:.1f} %", r.cases,
                          corpus.cases.size(), 100 * session.night().stability));
  session.save();
}

}  // namespace ulpfuzz::nightly
