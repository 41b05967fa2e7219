#include "words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulpfuzz::report {

std::string whole(double value) {
  constexpr double most = 1e18;
  return with_commas(static_cast<std::uint64_t>(std::fmin(std::fmax(value, 0), most)));
}

double cases_per_second(const Night& night) {
  const double rate = static_cast<double>(night.cases) / night.seconds;
  return night.seconds > 0 && std::isfinite(rate) ? rate : 0;
}

std::uint64_t count(const Night& night, BucketState state) {
  const auto is = [state](const NightBucket& b) { return b.state == state; };
  return static_cast<std::uint64_t>(std::count_if(night.buckets.begin(), night.buckets.end(), is));
}

std::uint64_t verdicts(const Night& night, const std::string& outcome) {
  const auto found = night.verdicts.find(outcome);
  return found == night.verdicts.end() ? 0 : found->second;
}

const PairCounts* worst_pair(const Night& night) {
  const PairCounts* worst = nullptr;
  for (const PairCounts& p : night.pairs)
    if (!p.subject.starts_with("fault/") && (!worst || p.share_max > worst->share_max)) worst = &p;
  return worst;
}

bool replayed(const Night& night) {
  return std::any_of(night.phases.begin(), night.phases.end(),
                     [](const Phase& p) { return p.name == "replay" && p.cases > 0; });
}

bool wants_attention(BucketState state) {
  return state == BucketState::fresh || state == BucketState::open ||
         state == BucketState::returned;
}

std::string state_text(const NightBucket& b) {
  std::string text(name(b.state));
  if (b.state == BucketState::known && !b.owner.empty()) text += " to " + b.owner;
  if (b.state == BucketState::known && !b.until.empty()) text += " until " + b.until;
  if (b.state == BucketState::open && b.nights > 1)
    text += fmt::format(", in {}", counted(b.nights, "night"));
  return text;
}

std::string replay_command(const NightBucket& b) {
  if (b.bucket.case_file.empty()) return {};
  return "ulpfuzz replay " + shell_word(b.bucket.case_file.string());
}

std::string uri_of(const std::filesystem::path& path) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string uri;
  for (const char c : path.relative_path().generic_string())
    uri += plain.find(c) != plain.npos
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  return uri;
}

namespace {

std::string executed_too_little(const Night& night) {
  if (night.cases == 0) return "no case was executed";
  // Regressions alone, say, where the self-check took all the time.
  if (night.pairs.empty()) return "neither random cases nor search had their turn";
  const auto waits = [](const Phase& p) {
    return (p.name == "random" || p.name == "search") && p.cases == 0;
  };
  if (night.interrupted && std::any_of(night.phases.begin(), night.phases.end(), waits))
    return "stopped before random cases and search had both had their turn";
  return never_judged(night.pairs);
}

/// Its report was cut by another night that held the corpus; merge() publishes for shards.
std::string unpublished(const Night& night) {
  const bool cut = std::any_of(night.phases.begin(), night.phases.end(), [](const Phase& p) {
    return p.name == "report" && p.state == Phase::State::cut;
  });
  if (!cut || !night.interrupted || !night.shards.empty()) return {};
  return "nothing was published, as the night was told to end while another held the corpus; "
         "--resume publishes it";
}

}  // namespace

std::string too_little(const Night& night) {
  const std::string executed = executed_too_little(night);
  return executed.empty() ? unpublished(night) : executed;
}

std::string why_too_little(const Night& night) {
  const std::string executed = executed_too_little(night);
  return executed.empty() ? unpublished(night) : "too little was executed: " + executed;
}

std::string trend_line(const Night& night) {
  if (night.trend.empty()) return {};
  std::vector<double> rates;
  std::size_t red = 0;
  for (const EarlierNight& earlier : night.trend) {
    if (earlier.exit_code == 1 || earlier.exit_code == 3) ++red;
    rates.push_back(earlier.cases_per_second);
  }
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return fmt::format("{} before this one, {} red; {} cases per second now, {} in their median",
                     counted(night.trend.size(), "night"), red, whole(cases_per_second(night)),
                     whole(*middle));
}

}  // namespace ulpfuzz::report
