#include "trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::properties {

namespace {

/// Fails without numbers: what a guarded call said.
Verdict broken(FailureClass failure, std::string reason) {
  Verdict verdict;
  verdict.outcome = Outcome::fail;
  verdict.failure = failure;
  verdict.cause = class_cause(failure);
  verdict.reason = std::move(reason);
  verdict.share = 1;
  return verdict;
}

}  // namespace

std::optional<std::string> reason_to_skip(const Subject& subject, const Network& network) {
  if (auto reason = subject.unavailable()) return reason;
  return subject.unsupported(network);
}

Verdict skipped(std::string reason) {
  Verdict verdict;
  verdict.outcome = Outcome::skip;
  verdict.reason = std::move(reason);
  return verdict;
}

Verdict guarded(const std::function<Verdict()>& check) {
  try {
    return check();
  } catch (const SubjectFault& fault) {
    return broken(fault.failure(), fault.what());
  }
}

void settle(Account& account, const Case& c, const Arithmetic& arithmetic, const Exceeds& exceeds) {
  if (account.alarms().empty()) return;
  const bool fits = model_fits(c) && !truncates(arithmetic);
  std::vector<bool> survived(account.alarms().size(), fits);
  for (int k = 0; k < confirmations; ++k) {
    if (std::find(survived.begin(), survived.end(), true) == survived.end()) break;
    const Case again = generators::with_random_low_bits(c, static_cast<std::uint64_t>(k) + 1);
    const std::vector<bool> still = exceeds(again, account.alarms());
    for (std::size_t i = 0; i < survived.size(); ++i) survived[i] = survived[i] && still[i];
  }
  account.settle_alarms(survived);
}

bool repeated_differs(float first, float again, double bound) {
  if (first == again || (std::isnan(first) && std::isnan(again))) return false;
  return !(std::fabs(double{first} - double{again}) <= bound);
}

ElementEvidence evidence(const Finding& finding, const Arithmetic& arithmetic) {
  const bool with_reference = finding.place.pair != Pair::paths;
  ElementEvidence e;
  e.a = finding.place.pair == Pair::b_reference ? finding.b : finding.a;
  e.b = with_reference ? static_cast<float>(finding.reference) : finding.b;
  e.reference = finding.reference;
  e.difference = finding.judged.difference;
  e.bound =
      finding.judged.tier == Tier::probabilistic ? finding.judged.probable : finding.judged.sound;
  e.tier = finding.judged.tier;
  const auto distance = arithmetic.flushes_subnormals ? ulp_distance_flushed : ulp_distance;
  e.ulps = distance(e.a, e.b).value_or(0);
  e.share = finding.judged.share_tightest();
  if (e.tier != Tier::probabilistic) e.share = finding.judged.share_sound();
  return e;
}

std::string rows_in_words(const std::vector<std::uint32_t>& rows) {
  if (rows.empty()) return "no rows";
  if (rows.size() == 1) return fmt::format("row {}", rows.front());
  const bool run = std::adjacent_find(rows.begin(), rows.end(),
                                      [](auto a, auto b) { return b != a + 1; }) == rows.end();
  if (run) return fmt::format("rows {}-{}", rows.front(), rows.back());
  constexpr std::size_t most = 8;
  std::string text = "rows ";
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(rows[i]);
  }
  if (rows.size() > most) text += fmt::format(", ... ({} in all)", rows.size());
  return text;
}

std::string reason_in_words(const Finding& finding, const Cause& cause) {
  const Judged& j = finding.judged;
  const char* against = finding.place.pair == Pair::paths ? "the two paths differ by"
                                                          : "the result is off the exact one by";
  std::string text;
  if (j.failure == FailureClass::nonfinite_mismatch) {
    text =
        "one side is not finite, or not as the exact result is, and no order of evaluation "
        "explains that";
  } else if (j.tier == Tier::exact) {
    text = fmt::format("no operation has anything to round here, yet {} {:.3g}", against,
                       j.difference);
  } else if (j.tier == Tier::probabilistic) {
    text = fmt::format(
        "{} {:.3g}, beyond the probabilistic bound {:.3g}, and so does each of {} versions of the "
        "case with other low bits",
        against, j.difference, j.probable, confirmations);
  } else {
    text = fmt::format(
        "{} {:.3g}, {:.3g} times what any order of summation, FMA or position of "
        "the bias can make",
        against, j.difference, j.share_sound());
  }
  if (cause.named != "unexplained") return text + "; cause: " + cause.named;
  return cause.suggested.empty() ? text : text + "; looks like: " + cause.suggested;
}

}  // namespace ulpfuzz::properties
