#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>

#include "budget.hpp"
#include "files.hpp"
#include "fuzzer_findings.hpp"
#include "fuzzer_inputs.hpp"
#include "fuzzers.hpp"
#include "given.hpp"
#include "phases.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr int most_shrinks = 3;  // with search after them

std::size_t unshrunk(Session& session) {
  const auto& all = session.night().buckets;
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const report::NightBucket& b) {
        const std::string shown = b.bucket.case_file.filename().string();
        return !b.bucket.flaky && !shown.empty() && !shown.starts_with("minimal");
      }));
}

/// Seconds that are left for rounds, with what shrinking needs by now kept for it.
double left_for_rounds(Session& session) {
  const double night = session.options().seconds;
  return session.left() - shrink_reserve(night, unshrunk(session), session.options().jobs) -
         session.kept_for_the_end();
}

/// One way of finding cases: has its turns in the rounds.
class Way {
 public:
  explicit Way(Session& session, std::string name) : session_(session), name_(std::move(name)) {}
  virtual ~Way() = default;
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

  const std::string& name() const { return name_; }
  Yield yield;

  /// Seconds of the turn that it takes when it is offered these; 0 if it saves them for the next.
  virtual double takes(double offered) { return std::max(least_campaign, offered); }
  /// For so many seconds, or so many cases. False if not one was tried.
  bool turn(double seconds, std::uint64_t cases) {
    const double began = session_.elapsed();
    const std::uint64_t before = phase().buckets, tried = phase().cases;
    phase().budget += seconds;
    phase().state = report::Phase::State::cut;  // which it is if a kill comes
    const auto kept = run(seconds, cases);
    const std::uint64_t buckets = phase().buckets - before;
    if (kept) note_yield(yield, buckets, *kept, session_.elapsed() - began);
    return phase().cases > tried;
  }
  report::Phase& phase() { return session_.phase(name_); }

 protected:
  /// Cases worth keeping that it found; nothing where the turn says nothing about the next.
  virtual std::optional<std::uint64_t> run(double seconds, std::uint64_t cases) = 0;
  Session& session() { return session_; }

 private:
  Session& session_;
  std::string name_;
};

class Campaigns final : public Way {
 public:
  /// `fresh`: more that climbing begins with, asked before each turn.
  Campaigns(Session& session, std::string name, Search search, std::vector<fs::path> seeds = {},
            std::function<std::vector<fs::path>()> fresh = {})
      : Way(session, std::move(name)),
        search_(search),
        seeds_(std::move(seeds)),
        fresh_(std::move(fresh)) {}

 private:
  std::optional<std::uint64_t> run(double seconds, std::uint64_t cases) override {
    CampaignOptions o = session().usual();
    o.seed = session().seed_of(name(), session().parts_of(name()));
    o.seconds = seconds;
    o.cases = cases;
    o.search = search_;
    if (search_ == Search::climb) {
      o.seeds = seeds_;
      const auto fresh = fresh_();
      o.seeds.insert(o.seeds.begin(), fresh.begin(), fresh.end());
      o.corpus = session().fresh_part(name()) / "corpus";
    }
    const CampaignResult r = session().campaign(name(), o, Fold::everything);
    // In front: it reached highest, and there may be more seeds than fit into memory.
    if (search_ == Search::climb && fs::exists(o.corpus)) seeds_.insert(seeds_.begin(), o.corpus);
    return r.corpus;
  }

  Search search_;
  std::vector<fs::path> seeds_;
  std::function<std::vector<fs::path>()> fresh_;
};

class Fuzzing final : public Way {
 public:
  Fuzzing(Session& session, Fuzzers& fuzzers) : Way(session, "libFuzzer"), fuzzers_(fuzzers) {}

  double takes(double offered) override {
    saved_ += offered;
    if (saved_ < fuzzers_.least_turn()) return 0;
    const double now = std::min(saved_, left_for_rounds(session()));
    saved_ = 0;
    return now;
  }

 private:
  std::optional<std::uint64_t> run(double seconds, std::uint64_t cases) override {
    return fuzzers_.turn(session(), seconds, cases);
  }
  Fuzzers& fuzzers_;
  double saved_ = 0;
};

/// Files that climbing begins with: read once here, so that a broken one is named and left out.
std::vector<fs::path> seeds_of(Session& session) {
  std::vector<fs::path> folders = session.options().seeds;
  folders.push_back(session.options().corpus / "seeds");
  CaseReader seeds(folders, session.stop_asked());
  std::vector<fs::path> files = names_of(seeds);
  tell_unusable(session, "search", seeds.unusable());
  // Broken ones of the distilled corpus are named by the replay phase.
  const fs::path distilled = session.options().corpus / "distilled";
  std::error_code error;
  if (fs::exists(distilled, error)) files.push_back(distilled);
  // After --resume: what earlier turns of this night climbed to.
  for (const fs::path& part : entries(session.options().out / "parts"))
    if (part.filename().string().starts_with("05-search") && fs::exists(part / "corpus"))
      files.insert(files.begin(), part / "corpus");
  return files;
}

void rounds_by_time(Session& session, std::vector<std::unique_ptr<Way>>& ways) {
  while (!session.stopping()) {
    const double left = left_for_rounds(session);
    if (left < least_campaign * static_cast<double>(ways.size())) break;
    std::vector<Yield> yields;
    for (const auto& way : ways) yields.push_back(way->yield);
    const std::vector<double> parts = shares(yields);
    const double length = round_length(left);
    bool any = false;
    for (std::size_t i = 0; i < ways.size() && !session.stopping(); ++i) {
      if (i > 0 && left_for_rounds(session) < least_campaign) break;  // a hang took it
      const double seconds = ways[i]->takes(parts[i] * length);
      if (seconds > 0) any = ways[i]->turn(seconds, 0) || any;
    }
    if (!any) break;  // nothing can be tried: the errors say why, or all subjects are stopped
  }
}

/// What shrinking leaves of the time that was kept for it goes to the search again.
void rounds_and_shrinks(Session& session, std::vector<std::unique_ptr<Way>>& ways) {
  rounds_by_time(session, ways);
  for (int i = 0; i < most_shrinks && unshrunk(session) > 0 && !session.stopping(); ++i) {
    shrink(session);
    rounds_by_time(session, ways);
  }
}

void turns_by_cases(Session& session, std::vector<std::unique_ptr<Way>>& ways) {
  for (const auto& way : ways) {
    const std::uint64_t done = way->phase().cases;
    if (!session.stopping() && done < session.options().cases)
      way->turn(0, session.options().cases - done);
  }
}

}  // namespace

void explore(Session& session) {
  Fuzzers fuzzers(session);
  FuzzedCases fuzzed;
  look_at_left(session, fuzzers);
  std::vector<std::unique_ptr<Way>> ways;
  ways.push_back(std::make_unique<Campaigns>(session, "random", Search::random));
  ways.push_back(std::make_unique<Campaigns>(session, "search", Search::climb, seeds_of(session),
                                             [&] { return fuzzed.fresh(session, fuzzers); }));
  report::Phase& fuzzing = session.phase("libFuzzer");
  if (fuzzers.why_not().empty()) {
    ways.push_back(std::make_unique<Fuzzing>(session, fuzzers));
  } else {
    fuzzing.state = report::Phase::State::skipped;
    if (fuzzing.note.empty()) add_note(fuzzing, fuzzers.why_not());
  }
  session.say("random and search: rounds whose time follows what each way finds");
  if (session.by_time())
    rounds_and_shrinks(session, ways);
  else
    turns_by_cases(session, ways);
  if (!session.stopping()) fuzzers.tell_silent(session);
  if (fuzzers.read() > 0)
    renew_note(fuzzing, "readers of files took ", fmt::format("{} inputs more", fuzzers.read()));
  for (const auto& way : ways)
    way->phase().state =
        session.stopping() ? report::Phase::State::cut : report::Phase::State::done;
  session.save();
}

}  // namespace ulpfuzz::nightly
