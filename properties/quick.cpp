#include "quick.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "judge.hpp"
#include "ulpfuzz/core/clones.hpp"

namespace ulpfuzz::properties {
namespace {

using bounds::Judgement;

struct Sweep {
  std::uint64_t bad = 0, equal = 0, exact = 0, sound = 0, none = 0;
};

template <bounds::Comparison kind, bool refines>
[[gnu::always_inline]] inline void sweep(const QuickRow& r, const QuickLimits& limits,
                                         Sweep& result) {
  constexpr bool both = kind == bounds::Comparison::paths;
  constexpr bool alone = kind == bounds::Comparison::reference;
  const double sum = both ? 2 : 1;
  const double root = both ? std::sqrt(2.0) : 1;
  std::uint64_t bad = 0, equal = 0, exact = 0, sound = 0, none = 0;
  for (std::size_t i = 0; i < r.size; ++i) {
    const double a = r.a[i];
    const double b = alone ? r.reference[i] : double{r.b[i]};
    const double difference = std::fabs(a - b);
    const double b1 = sum * r.sound[i];
    const double sigma = root * r.sigma[i];
    const double chance = limits.lambda * sigma;
    const double b2 = chance > least_normal ? chance : least_normal;
    const double tightest = b1 < b2 ? b1 : b2;
    const bool finite_class =
        (r.judgement[i] == Judgement::usable) | (r.judgement[i] == Judgement::exact);
    bool passes = (difference <= tightest) & (difference <= limits.share_sound * b1) &
                  (difference <= limits.share_tightest * tightest) & finite_class;
    if constexpr (refines) {
      passes &= difference <= (sum * r.local[i] > sigma ? sum * r.local[i] : sigma);
    }
    const double size = std::fabs(r.reference[i]);
    const bool is_equal =
        !alone && std::bit_cast<std::uint32_t>(r.a[i]) == std::bit_cast<std::uint32_t>(r.b[i]);
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

template <bool refines>
[[gnu::always_inline]] inline std::uint64_t off_reference(const QuickRow& r,
                                                          const QuickLimits& limits) {
  std::uint64_t bad = 0;
  for (std::size_t i = 0; i < r.size; ++i) {
    const double off_a = std::fabs(double{r.a[i]} - r.reference[i]);
    const double off_b = std::fabs(double{r.b[i]} - r.reference[i]);
    const double off = off_a > off_b ? off_a : off_b;
    const double chance = limits.lambda * r.sigma[i];
    const double b2 = chance > least_normal ? chance : least_normal;
    const double tightest = r.sound[i] < b2 ? r.sound[i] : b2;
    bool passes = (off <= tightest) & (off <= limits.share_sound * r.sound[i]) &
                  (off <= limits.share_tightest * tightest);
    if constexpr (refines) passes &= off <= (r.local[i] > r.sigma[i] ? r.local[i] : r.sigma[i]);
    bad += static_cast<std::uint64_t>(!passes);
  }
  return bad;
}

ULPFUZZ_CLONES void sweep_paths(const QuickRow& row, const QuickLimits& limits, Sweep& s) {
  sweep<bounds::Comparison::paths, false>(row, limits, s);
  if (s.bad == 0) s.bad = off_reference<false>(row, limits);
}
ULPFUZZ_CLONES void sweep_refining(const QuickRow& row, const QuickLimits& limits, Sweep& s) {
  sweep<bounds::Comparison::paths, true>(row, limits, s);
  if (s.bad == 0) s.bad = off_reference<true>(row, limits);
}
ULPFUZZ_CLONES void sweep_first(const QuickRow& row, const QuickLimits& limits, Sweep& s) {
  sweep<bounds::Comparison::first, false>(row, limits, s);
}
ULPFUZZ_CLONES void sweep_reference(const QuickRow& row, const QuickLimits& limits, Sweep& s) {
  sweep<bounds::Comparison::reference, false>(row, limits, s);
}

}  // namespace

QuickRow QuickRow::part(std::size_t at, std::size_t n) const {
  return {a + at, b + at, reference + at, sound + at, sigma + at, local + at, judgement + at, n};
}

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
  switch (limits.comparison) {
    case bounds::Comparison::paths:
      limits.refines ? sweep_refining(row, limits, s) : sweep_paths(row, limits, s);
      break;
    case bounds::Comparison::first:
      sweep_first(row, limits, s);
      break;
    case bounds::Comparison::reference:
      sweep_reference(row, limits, s);
      break;
  }
  if (s.bad != 0) return {};
  return {true, s.equal, s.exact, s.sound, row.size - s.equal - s.exact - s.sound - s.none, s.none};
}

}  // namespace ulpfuzz::properties
