#include "quick.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "clones.hpp"
#include "judge.hpp"

namespace ulpfuzz::properties {
namespace {

using bounds::Judgement;

struct Sweep {
  std::uint64_t bad = 0, equal = 0, exact = 0, sound = 0, none = 0;
};

ULPFUZZ_CLONES void sweep(const QuickRow& r, const QuickLimits& limits, Sweep& result) {
  const double sum = limits.both_round ? 2 : 1;
  const double root = limits.both_round ? std::sqrt(2.0) : 1;
  std::uint64_t bad = 0, equal = 0, exact = 0, sound = 0, none = 0;
  for (std::size_t i = 0; i < r.size; ++i) {
    const double a = r.a[i];
    const double b = r.b[i];
    const double difference = std::fabs(a - b);
    const double b1 = sum * r.sound[i];
    const double sigma = root * r.sigma[i];
    const double chance = limits.lambda * sigma;
    const double b2 = chance > least_normal ? chance : least_normal;
    const double tightest = b1 < b2 ? b1 : b2;
    const double cheap = sum * r.local[i] > sigma ? sum * r.local[i] : sigma;
    const double easy = tightest < cheap ? tightest : cheap;
    const bool finite_class =
        (r.judgement[i] == Judgement::usable) | (r.judgement[i] == Judgement::exact);
    const bool passes = (difference <= easy) & (difference <= limits.share_sound * b1) &
                        (difference <= limits.share_tightest * tightest) & finite_class;
    const double size = std::fabs(r.reference[i]);
    const bool is_equal =
        std::bit_cast<std::uint32_t>(r.a[i]) == std::bit_cast<std::uint32_t>(r.b[i]);
    const bool is_exact = r.judgement[i] == Judgement::exact;
    const bool vacuous = tightest > 0.1 * (size > 1 ? size : 1);
    bad += static_cast<std::uint64_t>(!passes);
    equal += static_cast<std::uint64_t>(is_equal);
    exact += static_cast<std::uint64_t>(is_exact & !is_equal);
    none += static_cast<std::uint64_t>(vacuous & !is_equal & !is_exact);
    sound += static_cast<std::uint64_t>((b1 <= b2) & !vacuous & !is_equal & !is_exact);
  }
  result = {bad, equal, exact, sound, none};
}

ULPFUZZ_CLONES std::uint64_t off_reference(const QuickRow& r, const QuickLimits& limits) {
  std::uint64_t bad = 0;
  for (std::size_t i = 0; i < r.size; ++i) {
    const double off_a = std::fabs(double{r.a[i]} - r.reference[i]);
    const double off_b = std::fabs(double{r.b[i]} - r.reference[i]);
    const double off = off_a > off_b ? off_a : off_b;
    const double chance = limits.lambda * r.sigma[i];
    const double b2 = chance > least_normal ? chance : least_normal;
    const double tightest = r.sound[i] < b2 ? r.sound[i] : b2;
    const double cheap = r.local[i] > r.sigma[i] ? r.local[i] : r.sigma[i];
    const bool passes = (off <= tightest) & (off <= cheap) &
                        (off <= limits.share_sound * r.sound[i]) &
                        (off <= limits.share_tightest * tightest);
    bad += static_cast<std::uint64_t>(!passes);
  }
  return bad;
}

}  // namespace

QuickRow quick_row(const float* a, const float* b, const bounds::OutputBounds& bounds,
                   std::size_t at, std::size_t size) {
  return {a,
          b,
          bounds.reference.data() + at,
          bounds.sound.data() + at,
          bounds.sigma.data() + at,
          bounds.local.data() + at,
          bounds.judgement.data() + at,
          size};
}

QuickResult judge_quickly(const QuickRow& row, const QuickLimits& limits) {
  Sweep s;
  sweep(row, limits, s);
  if (s.bad != 0 || (limits.with_reference && off_reference(row, limits) != 0)) return {};
  return {true, s.equal, s.exact, s.sound, row.size - s.equal - s.exact - s.sound - s.none, s.none};
}

}  // namespace ulpfuzz::properties
