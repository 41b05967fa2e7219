#include "ulpfuzz/runner/campaign_result.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulpfuzz {
namespace {

/// A rare pair may have had too few turns to judge anything.
constexpr std::uint64_t turns_of_a_rare_pair = 16;

}  // namespace

bool Bucket::goes_by(const std::string& name) const {
  return name == id || std::find(also.begin(), also.end(), name) != also.end();
}

void PairCounts::add(const PairCounts& other) {
  cases += other.cases;
  pass += other.pass;
  fail += other.fail;
  vacuous += other.vacuous;
  skip += other.skip;
  elements += other.elements;
  share_max = std::max(share_max, other.share_max);
  for (std::size_t i = 0; i < share_bins; ++i) shares[i] += other.shares[i];
  rare = rare || other.rare;
}

void StatisticsLine::add_totals(const StatisticsLine& other) {
  cases += other.cases;
  elements += other.elements;
  fail += other.fail;
  vacuous += other.vacuous;
  buckets += other.buckets;
  corpus += other.corpus;
}

std::string never_judged(const std::vector<PairCounts>& pairs) {
  for (const PairCounts& p : pairs) {
    if (p.pass + p.fail > 0 || (p.rare && p.cases < turns_of_a_rare_pair)) continue;
    return fmt::format("{} never judged a case of {} ({} tried)", p.property, p.subject, p.cases);
  }
  return {};
}

std::string CampaignResult::too_little() const {
  if (cases == 0)
    return unavailable.empty() || !pairs.empty()
               ? "no case was executed"
               : "no case was executed: none of the chosen subjects is available here";
  return never_judged(pairs);
}

int CampaignResult::exit_code() const {
  if (!errors.empty()) return 4;
  if (std::any_of(buckets.begin(), buckets.end(), [](const Bucket& b) { return !b.flaky; }))
    return 1;
  if (!buckets.empty()) return 6;
  return too_little().empty() ? 0 : 5;
}

}  // namespace ulpfuzz
