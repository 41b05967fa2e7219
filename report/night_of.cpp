#include <algorithm>

#include "html_files.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "words.hpp"

namespace ulpfuzz::report {
namespace fs = std::filesystem;
namespace {

/// findings/BUCKET/FILE of a case that a run wrote under its `out`, wherever that has gone since.
fs::path within(const fs::path& file) {
  if (file.empty()) return {};
  const fs::path bucket = file.parent_path();
  return bucket.parent_path().filename() / bucket.filename() / file.filename();
}

Phase phase_of(const CampaignResult& campaign) {
  Phase phase;
  phase.name = "run";
  phase.state = campaign.running || campaign.interrupted ? Phase::State::cut : Phase::State::done;
  phase.seconds = campaign.seconds;
  phase.cases = campaign.cases;
  phase.buckets = campaign.buckets.size();
  return phase;
}

}  // namespace

Night night_of(const CampaignResult& campaign) {
  Night night;
  night.id = (campaign.out.has_filename() ? campaign.out : campaign.out.parent_path()).filename();
  night.seconds = campaign.seconds;
  night.cases = campaign.cases;
  night.elements = campaign.elements;
  night.verdicts = campaign.verdicts;
  night.phases = {phase_of(campaign)};
  for (const Bucket& b : campaign.buckets) {
    NightBucket bucket;
    bucket.bucket = b;
    bucket.bucket.case_file = within(b.case_file);
    bucket.state = b.flaky ? BucketState::flaky : BucketState::fresh;
    bucket.found_in = "run";
    bucket.first_seen = night.id;
    night.buckets.push_back(std::move(bucket));
  }
  std::stable_partition(night.buckets.begin(), night.buckets.end(),
                        [](const NightBucket& b) { return b.state == BucketState::fresh; });
  night.pairs = campaign.pairs;
  night.statistics = campaign.statistics;
  for (const StatisticsLine& line : campaign.over_time) night.over_time.push_back({"run", line});
  night.elements_by_tier = campaign.elements_by_tier;
  night.vacuous_reasons = campaign.vacuous_reasons;
  night.skip_reasons = campaign.skip_reasons;
  night.corpus = night.corpus_added = campaign.corpus;
  night.unavailable = campaign.unavailable;
  night.stopped = campaign.stopped;
  night.errors = campaign.errors;
  night.environment = campaign.environment;
  night.interrupted = campaign.interrupted;
  night.running = campaign.running;
  night.exit_code = campaign.exit_code();
  return night;
}

EarlierNight as_earlier(const Night& night) {
  EarlierNight n{
      night.id,        night.date, night.exit_code, night.cases, cases_per_second(night), 0,
      night.stability, {}};
  if (const PairCounts* worst = worst_pair(night)) n.share_max = worst->share_max;
  for (const NightBucket& b : night.buckets) ++n.buckets[std::string(name(b.state))];
  return n;
}

void describe_cases(Night& night, const fs::path& folder) {
  for (NightBucket& b : night.buckets) {
    if (!b.minimal.empty() && !b.boundary.empty()) continue;
    const page::BucketFiles files = page::read_files(b, folder);
    if (!files.smallest) continue;
    if (b.minimal.empty()) b.minimal = describe(files.smallest->value);
    if (b.boundary.empty()) b.boundary = note_of(*files.smallest, "boundary");
  }
}

}  // namespace ulpfuzz::report
