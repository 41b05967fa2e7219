#include "judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ulpfuzz::properties {
namespace {

using bounds::Judgement;

double share(double difference, double bound) {
  if (difference == 0) return 0;
  return bound > 0 ? difference / bound : std::numeric_limits<double>::infinity();
}

/// Finite, +inf, -inf or NaN.
int number_class(double x) {
  if (std::isfinite(x)) return 0;
  return std::isnan(x) ? 3 : x > 0 ? 1 : 2;
}

Judged class_ruling(bool same) {
  Judged j;
  j.tier = Tier::class_only;
  if (same) return j;
  j.ruling = Ruling::fail;
  j.failure = FailureClass::nonfinite_mismatch;
  j.difference = std::numeric_limits<double>::infinity();
  return j;
}

/// A difference of at most what the last op alone may make, or of one standard deviation, passes
/// without a search for a tighter bound, if it is not improbable.
Judged finite_ruling(double difference, const Side& s, double lambda, bool refined) {
  Judged j;
  j.difference = difference;
  j.sound = s.sound;
  j.probable = std::max(lambda * s.sigma, least_normal);
  j.tier = s.sound <= j.probable ? Tier::sound : Tier::probabilistic;
  if (is_vacuous(std::min(s.sound, j.probable), s.reference)) j.tier = Tier::none;
  if (difference <= std::min({s.sound, j.probable, std::max(s.local, s.sigma)})) return j;
  if (!refined) {
    j.ruling = Ruling::refine;
  } else if (!(difference <= s.sound)) {
    j.ruling = Ruling::fail;
    j.tier = Tier::sound;
    j.failure = FailureClass::beyond_bound;
  } else if (difference > j.probable) {
    j.ruling = Ruling::alarm;
  }
  return j;
}

Judged exact_ruling(double difference) {
  Judged j;
  j.tier = Tier::exact;
  j.difference = difference;
  if (difference == 0) return j;
  j.ruling = Ruling::fail;
  j.failure = FailureClass::beyond_bound;
  return j;
}

/// Some order may overflow on the way: infinities, and what follows from them, are legal.
Judged range_ruling(bool finite, double difference, double sound) {
  Judged j;
  if (!finite || !std::isfinite(sound)) return j;
  j.tier = Tier::class_only;
  j.difference = difference;
  j.sound = sound;
  j.probable = std::numeric_limits<double>::infinity();
  if (difference <= sound) return j;
  j.tier = Tier::none;
  return j;
}

Judgement weaker(Judgement a, Judgement b) {
  if (a == b) return a;
  // Of two paths with masks of their own one may be exact and the other not.
  const auto plain = [](Judgement j) { return j == Judgement::usable || j == Judgement::exact; };
  return plain(a) && plain(b) ? Judgement::usable : Judgement::no_bound;
}

}  // namespace

double Judged::share_sound() const { return share(difference, sound); }
double Judged::share_tightest() const { return share(difference, std::min(sound, probable)); }

bool is_vacuous(double sound, double reference) {
  return !(sound <= 0.1 * std::max(std::fabs(reference), 1.0));
}

Judged judge_paths(float a, float b, const Side& sa, const Side& sb, double lambda, bool refined) {
  const bool finite = std::isfinite(a) && std::isfinite(b);
  const double difference =
      finite ? std::fabs((double{a} - double{b}) - (sa.reference - sb.reference)) : 0;
  switch (weaker(sa.judgement, sb.judgement)) {
    case Judgement::no_bound:
      return {};
    case Judgement::nonfinite:
      return class_ruling(number_class(a) == number_class(sa.reference) &&
                          number_class(b) == number_class(sb.reference));
    case Judgement::range:
      return range_ruling(finite, difference, sa.sound + sb.sound);
    case Judgement::exact:
      return finite ? exact_ruling(difference) : class_ruling(false);
    case Judgement::usable:
      break;
  }
  if (!finite) return class_ruling(false);
  const Side both{sa.reference, sa.sound + sb.sound,
                  std::sqrt(sa.sigma * sa.sigma + sb.sigma * sb.sigma), sa.local + sb.local,
                  Judgement::usable};
  return finite_ruling(difference, both, lambda, refined);
}

Judged judge_reference(float x, const Side& s, double lambda, bool refined) {
  const bool finite = std::isfinite(x);
  const double difference = finite ? std::fabs(double{x} - s.reference) : 0;
  switch (s.judgement) {
    case Judgement::no_bound:
      return {};
    case Judgement::nonfinite:
      return class_ruling(number_class(x) == number_class(s.reference));
    case Judgement::range:
      return range_ruling(finite, difference, s.sound);
    case Judgement::exact:
      return finite ? exact_ruling(difference) : class_ruling(false);
    case Judgement::usable:
      break;
  }
  if (!finite) return class_ruling(false);
  return finite_ruling(difference, s, lambda, refined);
}

}  // namespace ulpfuzz::properties
