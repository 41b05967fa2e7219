#include "words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ulpfuzz::report {

std::string counted(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", with_commas(n), what, n == 1 ? "" : "s");
}

std::string share_text(double share) {
  if (!(share < std::numeric_limits<double>::max())) return "infinite";
  if (share > 0.9999 && share < 1) return "<1";  // attained, not exceeded
  return share >= 1e6 ? fmt::format("{:.1e}", share) : fmt::format("{:.4f}", share);
}

std::string whole(double value) {
  constexpr double most = 1e18;
  return with_commas(static_cast<std::uint64_t>(std::fmin(std::fmax(value, 0), most)));
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

double cases_per_second(const Night& night) {
  const double rate = static_cast<double>(night.cases) / night.seconds;
  return night.seconds > 0 && std::isfinite(rate) ? rate : 0;
}

std::uint64_t count(const Night& night, BucketState state) {
  const auto is = [state](const NightBucket& b) { return b.state == state; };
  return static_cast<std::uint64_t>(std::count_if(night.buckets.begin(), night.buckets.end(), is));
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

namespace {

/// For a shell that people type into: quoted only where that is needed.
std::string quoted(const std::string& word) {
  const bool plain = word.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                         "-_./+=:,@%") == word.npos;
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string replay_command(const NightBucket& b) {
  if (b.bucket.case_file.empty()) return {};
  return "ulpfuzz replay " + quoted(b.bucket.case_file.string());
}

std::string_view meaning(int exit_code) {
  switch (exit_code) {
    case 0:
      return "nothing new";
    case 1:
      return "new failure";
    case 3:
      return "a failure is back";
    case 4:
      return "infrastructure failed";
    case 5:
      return "too little was executed";
    case 6:
      return "only flaky findings";
    default:
      return "";
  }
}

std::string too_little(const Night& night) {
  if (night.cases == 0) return "no case was executed";
  // Regressions alone, say, where the self-check took all the time.
  if (night.pairs.empty()) return "neither random cases nor search had their turn";
  return never_judged(night.pairs);
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
