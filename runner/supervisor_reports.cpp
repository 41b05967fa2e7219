#include "supervisor.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz {
namespace {

constexpr double interim_interval = 10;    // seconds between saved summaries
constexpr double finding_interval = 0.25;  // of which one has a new bucket

}  // namespace

void Supervisor::draw_progress() {
  const double now = process::seconds_since(began_);
  if (!options_.progress || now - drawn_ < 0.5) return;
  const CampaignResult r = result();
  progress_.show(progress_line(r, static_cast<double>(r.cases - drawn_cases_) / (now - drawn_)));
  drawn_ = now;
  drawn_cases_ = r.cases;
}

void Supervisor::save_interim() {
  const double now = process::seconds_since(began_);
  const bool found = book_.size() > saved_buckets_;
  if (now - saved_ < (found ? finding_interval : interim_interval)) return;
  saved_ = now;
  saved_buckets_ = book_.size();
  CampaignResult r = result();
  r.running = true;
  try {
    write_file_atomically(options_.out / "summary.json", summary_json(options_, r));
  } catch (const FileError& error) {
    add_error(error.what());
  }
}

void Supervisor::note_statistics() {
  const CampaignResult r = result();
  std::uint64_t mutations = 0;
  for (std::size_t w = 0; w < workers_.size(); ++w) mutations += state_.slot(w).mutations;
  StatisticsLine line;
  line.seconds = r.seconds;
  line.cases = r.cases;
  line.elements = r.elements;
  line.fail = r.verdicts.at(std::string(name(Outcome::fail)));
  line.vacuous = r.verdicts.at(std::string(name(Outcome::vacuous)));
  line.buckets = r.buckets.size();
  line.corpus = r.corpus;
  if (r.cases > cases_before_)
    line.climbing = static_cast<double>(mutations - mutations_before_) /
                    static_cast<double>(r.cases - cases_before_);
  mutations_before_ = mutations;
  cases_before_ = r.cases;
  line.share = take_recent_shares(state_, plan_, workers_.size());
  try {
    over_time_.add(std::move(line));
  } catch (const FileError& error) {
    add_error(error.what());
  }
}

CampaignResult Supervisor::result() const {
  CampaignResult r;
  r.seconds = process::seconds_since(began_);
  r.buckets = book_.buckets();
  r.vacuous_reasons = vacuous_;
  r.skip_reasons = skip_;
  r.unavailable = plan_.unavailable;
  r.stopped = stopped_;
  r.over_time = over_time_.lines();
  r.seeds = climbs_.seeds();
  r.unreadable_seeds = climbs_.unreadable();
  r.errors = errors_;
  r.environment = environment_;
  r.out = options_.out;
  r.interrupted = signals_.requests() > 0;
  collect_counts(r, plan_, state_, options_.jobs);
  return r;
}

}  // namespace ulpfuzz
