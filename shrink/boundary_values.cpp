#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "boundary_parts.hpp"
#include "dissect_numbers.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::shrinking {
namespace {

constexpr std::size_t most_numbers = 24;

float from_ordinal(std::int64_t o) {
  const auto magnitude = static_cast<std::uint32_t>(o < 0 ? -o : o);
  return std::bit_cast<float>(o < 0 ? magnitude | 0x80000000u : magnitude);
}

/// Numbers worth trying instead of x, nearest first.
std::vector<float> candidates(float x) {
  const float power = x == 0 ? 1 : std::copysign(std::exp2(std::floor(std::log2(std::fabs(x)))), x);
  std::vector<float> result{
      0, 1, -1, x / 2, x * 2, x / 16, x * 16, power, 2 * power, power / 2, std::nearbyint(x)};
  std::erase_if(result, [x](float v) { return v == x || !std::isfinite(v); });
  const auto far = [x](float v) { return std::abs(ordinal(v) - ordinal(x)); };
  std::ranges::sort(result,
                    [&](float a, float b) { return far(a) != far(b) ? far(a) < far(b) : a < b; });
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Looks for a switch of one number of the failing case.
class Threshold {
 public:
  Threshold(Asker& asker, const Number& number)
      : asker_(asker), number_(number), x_(number.in(asker.failing().value)) {}

  /// On the side of larger numbers or of smaller ones.
  std::optional<Boundary> find(bool larger) {
    fails_ = furthest_ = x_;
    for (const float v : candidates(x_)) {
      if ((v > x_) != larger) continue;
      const Answer a = ask(v);
      if (a == Answer::unknown) return std::nullopt;
      if (a == Answer::fails) {
        fails_ = v;
        continue;
      }
      passes_ = v;
      if (!bisect() || !persists(v)) return std::nullopt;
      if (subnormal(fails_) && subnormal(passes_)) return std::nullopt;  // a matter of rounding
      look_away(larger);
      return boundary(larger);
    }
    return std::nullopt;
  }

 private:
  enum class Answer : std::uint8_t { fails, passes, unknown };

  // Of shares that grow with the number, the bound is crossed somewhere: no switch. There are no
  // shares next to the bound on either side of one.
  Answer ask(float v) {
    if (asker_.spent()) return Answer::unknown;
    Case c = asker_.failing().value;
    number_.in(c) = v;
    const Verdict verdict = asker_.ask(c);
    if (asker_.alike(verdict))
      return asker_.by_bound() && verdict.share < 2 ? Answer::unknown : Answer::fails;
    if (!asker_.passes(verdict)) return Answer::unknown;
    return asker_.by_bound() && verdict.share >= 0.5 ? Answer::unknown : Answer::passes;
  }

  bool bisect() {
    while (std::abs(ordinal(fails_) - ordinal(passes_)) > 1) {
      const std::int64_t sum = ordinal(fails_) + ordinal(passes_);
      const float middle = from_ordinal(sum >= 0 ? sum / 2 : -((1 - sum) / 2));
      const Answer a = ask(middle);
      if (a == Answer::unknown) return false;
      (a == Answer::fails ? fails_ : passes_) = middle;
    }
    return true;
  }

  // A number that passes amid others that fail, such as 0 or 1, is no switch, nor are numbers that
  // happen to round well: around one, each side is of one mind.
  bool persists(float candidate) {
    for (const std::int64_t step : {1, 1 << 5, 1 << 10, 1 << 14, 1 << 17, 1 << 19, 1 << 21}) {
      if (!is_at(passes_, step, candidate, Answer::passes)) return false;
      if (!is_at(fails_, step, x_, Answer::fails)) return false;
    }
    return true;
  }

  // Away from the switch by so many floats, but not beyond `end`; next to it in any case.
  bool is_at(float from, std::int64_t step, float end, Answer wanted) {
    const bool up =
        from == passes_ ? ordinal(passes_) > ordinal(fails_) : ordinal(fails_) > ordinal(passes_);
    const std::int64_t o = ordinal(from) + (up ? step : -step);
    const bool beyond = up ? o > ordinal(end) : o < ordinal(end);
    return (beyond && step > 1) || ask(from_ordinal(o)) == wanted;
  }

  // How far on the other side it still fails.
  void look_away(bool larger) {
    std::vector<float> away = candidates(x_);
    std::erase_if(away, [&](float v) { return (v > x_) == larger; });
    for (const float v : away) {
      if (ask(v) != Answer::fails) return;
      furthest_ = v;
    }
  }

  Boundary boundary(bool larger) const {
    const char* direction = larger ? "down" : "up";
    return {number_.name,
            fmt::format("fails from {} on {}wards (tried {} to {}), passes at {}", words(fails_),
                        direction, direction, words(furthest_), words(passes_)),
            fmt::format("{:a}", fails_), fmt::format("{:a}", passes_)};
  }

  static bool subnormal(float v) { return std::fpclassify(v) == FP_SUBNORMAL; }
  static std::string words(float v) { return fmt::format("{:a} ({:.9g})", v, v); }

  Asker& asker_;
  const Number& number_;
  float x_;
  float fails_ = 0, passes_ = 0, furthest_ = 0;
};

}  // namespace

void value_boundaries(Asker& asker, std::vector<Boundary>& found) {
  const Verdict& verdict = asker.failing().verdict;
  if (verdict.failure == FailureClass::nondeterministic) return;
  if (asker.by_bound() && verdict.share < 2) return;
  const std::vector<Number> all = numbers(asker.failing().value);
  if (all.size() > most_numbers) return;
  for (const Number& number : all) {
    if (!std::isfinite(number.in(asker.failing().value))) continue;
    for (const bool larger : {false, true}) {
      Threshold threshold(asker, number);
      if (auto b = threshold.find(larger)) found.push_back(std::move(*b));
    }
  }
}

}  // namespace ulpfuzz::shrinking
