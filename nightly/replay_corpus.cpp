#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "budget.hpp"
#include "files.hpp"
#include "given.hpp"
#include "phases.hpp"
#include "trials.hpp"

namespace ulpfuzz::nightly {
namespace {

/// Run once and at once again, so that a phase whose time is over has compared what it has run.
constexpr std::size_t trials_a_comparison = 512;

/// Trials that showed the same both times, in processes of their own. What showed nothing at all
/// (not reached, process ended) does not count.
class Stability {
 public:
  void add(std::span<const Trial> trials, const TrialOptions& options);
  std::uint64_t both() const { return both_; }
  double part() const {
    return both_ == 0 ? 1 : static_cast<double>(same_) / static_cast<double>(both_);
  }

 private:
  std::uint64_t same_ = 0, both_ = 0;
};

void Stability::add(std::span<const Trial> trials, const TrialOptions& options) {
  for (std::size_t from = 0; from < trials.size(); from += trials_a_comparison) {
    const auto some = trials.subspan(from, std::min(trials_a_comparison, trials.size() - from));
    std::map<std::size_t, std::vector<std::uint32_t>> once;
    judge_all(some, options,
              [&](std::size_t i, Shown&& shown) { once[i] = std::move(shown.features); });
    judge_all(some, options, [&](std::size_t i, Shown&& shown) {
      const auto before = once.find(i);
      if (before == once.end()) return;
      ++both_;
      if (before->second == shown.features) ++same_;
    });
  }
}

/// Replays a corpus slice by slice: first as a campaign would, for its verdicts, then for what it
/// shows. Each has half of the phase's time.
class Replaying {
 public:
  explicit Replaying(Session& session)
      : session_(session),
        half_(part_of_replay * session.options().seconds / 2),
        until_(session.elapsed() + 2 * half_),
        tried_(session) {}
  void run(CaseReader& corpus);
  /// Numbers and note of the phase. `left`: files that were not looked at.
  void tell(report::Phase& phase, std::size_t left) const;

 private:
  /// Is all over, or a half that took so many seconds by now?
  bool over(double seconds) const {
    return session_.stopping() ||
           (session_.by_time() && (seconds >= half_ || session_.elapsed() >= until_));
  }
  void replay(std::vector<GivenCase>& slice);
  void compare(const std::vector<GivenCase>& slice);

  Session& session_;
  const double half_, until_;
  TriedCases tried_;
  Stability stability_;
  std::uint64_t cases_ = 0, replayed_ = 0;
  double replaying_ = 0, comparing_ = 0;  ///< seconds
};

void Replaying::run(CaseReader& corpus) {
  for (auto slice = corpus.next(); !slice.empty(); slice = corpus.next()) {
    tried_.keep(slice);
    if (slice.empty()) continue;
    replay(slice);
    cases_ += slice.size();
    compare(slice);
    if (over(replaying_)) break;
  }
}

void Replaying::replay(std::vector<GivenCase>& slice) {
  const double began = session_.elapsed();
  CampaignOptions o = session_.usual();
  std::set<std::string> subjects;
  for (const GivenCase& c : slice) subjects.insert(c.subject);
  o.subjects.assign(subjects.begin(), subjects.end());
  o.properties.clear();  // of their notes
  o.given = slice;
  if (session_.by_time()) o.seconds = std::max(least_campaign, half_ - replaying_);
  replayed_ += session_.campaign("replay", std::move(o), Fold::everything).cases;
  replaying_ += session_.elapsed() - began;
  std::erase_if(
      slice, [&](const GivenCase& c) { return session_.too_large().count(c.name.string()) != 0; });
}

void Replaying::compare(const std::vector<GivenCase>& slice) {
  const double began = session_.elapsed();
  std::vector<Trial> trials;
  for (const GivenCase& c : slice) trials.push_back(trial_of(session_, c));
  stability_.add(trials, trial_options(session_, [&] {
                   return over(comparing_ + session_.elapsed() - began);
                 }));
  comparing_ += session_.elapsed() - began;
}

void Replaying::tell(report::Phase& phase, std::size_t left) const {
  report::Night& night = session_.night();
  tried_.tell(phase);
  night.corpus = cases_ + left;
  night.stability = stability_.part();
  const bool all = left == 0 && replayed_ >= cases_ && !session_.stopping();
  phase.state = cases_ + left == 0 ? report::Phase::State::skipped
                : all              ? report::Phase::State::done
                                   : report::Phase::State::cut;
  if (phase.state == report::Phase::State::skipped)
    return add_note(phase, "no distilled corpus yet");
  add_note(phase, fmt::format("{} of {} cases", replayed_, cases_ + left));
  if (stability_.both() > 0)
    add_note(phase, fmt::format("of {} tried twice, {:.1f} % showed the same features",
                                stability_.both(), 100 * night.stability));
}

}  // namespace

void replay_corpus(Session& session) {
  report::Phase& p = session.phase("replay");
  if (p.state == report::Phase::State::done || session.stopping()) return;
  const double began = session.elapsed();
  p.budget = part_of_replay * session.options().seconds;
  Replaying replaying(session);
  CaseReader corpus({session.options().corpus / "distilled"}, session.stop_asked());
  replaying.run(corpus);
  tell_unusable(session, "replay", corpus.unusable());
  p.seconds = session.elapsed() - began;
  replaying.tell(p, corpus.left());
  session.save();
}

}  // namespace ulpfuzz::nightly
