#include "account.hpp"

#include <algorithm>

namespace ulpfuzz::properties {

void Account::add(const Place& place, float a, float b, double reference, const Judged& judged) {
  if (judged.ruling != Ruling::alarm) count(judged.tier, 1);
  look(place, a, b, reference, judged, true);
}

void Account::look(const Place& place, float a, float b, double reference, const Judged& judged,
                   bool counts) {
  if (judged.tier == Tier::none && judged.ruling == Ruling::pass) return;
  const double tightest = judged.share_tightest();
  if (judged.ruling == Ruling::pass) {
    share_sound_ = std::max(share_sound_, judged.share_sound());
    if (tightest <= share_tightest_) return;
    share_tightest_ = tightest;
  }
  keep({place, judged, a, b, reference, counts});
}

void Account::keep(const Finding& finding) {
  switch (finding.judged.ruling) {
    case Ruling::fail:
      if (!failure_ || failure_->judged.share_tightest() < finding.judged.share_tightest()) {
        failure_ = finding;
      }
      break;
    case Ruling::alarm:
      alarms_.push_back(finding);
      break;
    default:
      worst_ = finding;
  }
}

void Account::settle_alarms(const std::vector<bool>& survived) {
  for (std::size_t i = 0; i < alarms_.size(); ++i) {
    Finding alarm = alarms_[i];
    if (survived[i]) {
      alarm.judged.ruling = Ruling::fail;
      alarm.judged.tier = Tier::probabilistic;
      alarm.judged.failure = FailureClass::beyond_bound;
    } else {
      const bool vacuous = is_vacuous(alarm.judged.sound, alarm.reference);
      alarm.judged.tier = vacuous ? Tier::none : Tier::sound;
      alarm.judged.ruling = Ruling::pass;
      share_sound_ = std::max(share_sound_, vacuous ? 0 : alarm.judged.share_sound());
      alarm_dismissed_ = true;
    }
    if (alarm.counts) count(alarm.judged.tier, 1);
    if (alarm.judged.tier != Tier::none) keep(alarm);
  }
  alarms_.clear();
}

void Account::report(bool model_fits, Verdict& verdict) const {
  verdict.elements = elements_;
  const bool tightest = model_fits && !alarm_dismissed_;
  verdict.share = tightest ? share_tightest_ : share_sound_;
  if (failure_) {
    verdict.outcome = Outcome::fail;
    verdict.failure = failure_->judged.failure;
    verdict.share = std::max({verdict.share, 1.0, failure_->judged.share_tightest()});
    return;
  }
  if (contradicted_) {
    verdict.outcome = Outcome::fail;
    verdict.failure = FailureClass::beyond_bound;
    verdict.cause = "wrong mask";
    verdict.reason =
        "a mask was taken from a value that is on the wrong side of its kink by more "
        "than its bound";
    verdict.share = std::max(verdict.share, 1.0);
    return;
  }
  const std::uint64_t none = elements_[static_cast<std::size_t>(Tier::none)];
  if (verdict.element_count() > none) return;
  verdict.outcome = Outcome::vacuous;
  verdict.reason = none == 0
                       ? "there is no element to compare"
                       : "no bound applies to any element: ill-conditioned, or beyond the range";
}

bool model_fits(const Case& c, std::size_t prefix) {
  const auto fits = [prefix](const Tensor& t) {
    std::span<const float> values = t.data;
    if (prefix != 0 && values.size() > prefix) values = values.first(prefix);
    const bool zeros = std::all_of(values.begin(), values.end(), [](float x) { return x == 0; });
    return zeros || bounds::has_random_low_bits(values);
  };
  return std::all_of(c.parameters.begin(), c.parameters.end(), fits) &&
         std::all_of(c.inputs.begin(), c.inputs.end(), fits);
}

}  // namespace ulpfuzz::properties
