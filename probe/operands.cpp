#include <algorithm>
#include <array>
#include <cmath>

#include "random.hpp"
#include "sum_arithmetic.hpp"

namespace ulpfuzz::probe {
namespace {

constexpr std::array<Rounding, 3> roundings{Rounding::nearest_even, Rounding::nearest_away,
                                            Rounding::toward_zero};

/// A conversion that could be: format and number of pieces. Range tells fp16 from tf32 afterwards.
struct Model {
  Format format;
  int pieces;
};
constexpr std::array<Model, 5> models{{{Format::fp32, 1},
                                       {Format::tf32, 1},
                                       {Format::bf16, 1},
                                       {Format::tf32, 2},
                                       {Format::bf16, 2}}};

/// Numbers in [1, 2): random ones, and those that lie in the middle of two of a narrower format
/// or next to it.
std::vector<float> numbers(Random& random) {
  std::vector<float> all;
  for (int i = 0; i < 64; ++i) all.push_back(random.significand());
  for (const int bits : {8, 11}) {
    for (int i = 0; i < 24; ++i) {
      const auto odd = static_cast<float>(2 * random.below(std::size_t{1} << (bits - 1)) + 1);
      const float middle = 1.0f + std::ldexp(odd, -bits);
      all.push_back(middle);
      if (i % 3 == 1) all.push_back(middle + 0x1p-23f);
      if (i % 3 == 2) all.push_back(middle - 0x1p-23f);
    }
  }
  return all;
}

struct Pair {
  float left, right, got;
};

/// What comes back of single products, the sums of everything else being zero.
class Trial {
 public:
  Trial(Site& site, const SumArithmetic& found) : site_(site), found_(found) {}

  Pair ask(float left, float right) { return {left, right, site_.ask({{0, {left, right}}})}; }
  /// A product as it comes back if it is rounded to the precision of sums, then to that of partial
  /// sums and of the result.
  bool fits(const Pair& pair, double left, double right) const {
    const double product = left * right;
    if (found_.unit.block > 0) {
      const double cut = round_bits(product, 24, Direction::toward_zero);
      return double{pair.got} == stored(cut);
    }
    return double{pair.got} == stored(round_bits(product, found_.sum_bits, direction()));
  }

 private:
  double stored(double x) const {
    const double partial = round_bits(x, found_.first_bits, Direction::nearest_even);
    return round_bits(partial, std::min(24, found_.result_bits), Direction::nearest_even);
  }
  Direction direction() const {
    return found_.sum_rounding == Direction::untold ? Direction::nearest_even : found_.sum_rounding;
  }
  Site& site_;
  const SumArithmetic& found_;
};

/// The conversion of one side that fits all pairs, whose other side is exact in every format.
Operand fit(const Trial& trial, const std::vector<Pair>& pairs, bool left) {
  Operand found;
  const auto fits_all = [&](const Operand& candidate, Rounding rounding) {
    return std::all_of(pairs.begin(), pairs.end(), [&](const Pair& p) {
      const double q = converted(candidate, rounding, left ? p.left : p.right);
      return trial.fits(p, q, left ? p.right : p.left);
    });
  };
  for (const Model& m : models) {
    const int bits = m.format == Format::fp32 ? 24 : traits(m.format).precision * m.pieces;
    Operand candidate{m.format, {}, m.pieces, bits, true};
    for (const Rounding r : roundings)
      if (fits_all(candidate, r)) candidate.roundings.push_back(r);
    if (!candidate.roundings.empty()) return candidate;
  }
  double worst = 0;
  for (const Pair& p : pairs) {
    const double exact = double{p.left} * p.right;
    worst = std::max(worst, std::fabs(double{p.got} / exact - 1));
  }
  found.known = false;
  found.bits = std::clamp(static_cast<int>(std::floor(-std::log2(worst))), 0, 24);
  return found;
}

/// fp16 ends at 65504 and knows nothing below 2^-25.
void tell_fp16(Site& site, bool left, Operand& operand) {
  if (operand.format != Format::tf32) return;
  const auto ask = [&](float x, float other) {
    return site.ask({{0, left ? Term{x, other} : Term{other, x}}});
  };
  if (ask(0x1p17f, 0x1p-10f) == 0x1p7f && ask(0x1p-27f, 0x1p13f) == 0x1p-14f) return;
  operand.format = Format::fp16;
}

/// Products of two numbers with three full pieces of bf16, so that the products of small pieces
/// all have one sign: their loss shifts the mean by 0.4 units of the last place.
double mean_shift(Trial& trial, Random& random) {
  double sum = 0;
  constexpr int count = 200;
  for (int i = 0; i < count; ++i) {
    const auto number = [&] {
      const auto middle = static_cast<float>(240 + random.below(15));
      const auto low = static_cast<float>(48 + random.below(15));
      return 1.0f + std::ldexp(middle, -16) + std::ldexp(low, -23);
    };
    const Pair p = trial.ask(number(), number());
    sum += (double{p.got} - double{p.left} * p.right) * 0x1p23;
  }
  return sum / count;
}

/// 1 + 2^-24 (1 + 2^-8) rounds up to 1 + 2^-23; the two pieces, one after the other, vanish.
bool adds_pieces(Site& site, const SumArithmetic& found) {
  if (found.sum_bits != 24 || !found.trio) return false;
  const auto [a, b, away] = *found.trio;
  const Term product{1 + 0x1p-8f, 0x1p-24f};
  return site.ask({{a, {1, 1}}, {b, product}, {away, {-1, 1}}}) == 0 ||
         site.ask({{b, {1, 1}}, {a, product}, {away, {-1, 1}}}) == 0;
}

void tell_split(Site& site, Trial& trial, Random& random, SumArithmetic& found) {
  if (found.left.pieces == 2 && found.right.pieces == 2) {
    found.split = found.left.format == Format::bf16 ? Split::bf16x3 : Split::tf32x3;
    return;
  }
  if (!found.left.exact() || !found.right.exact() || found.unit.block > 0) return;
  if (found.products_round_once && !adds_pieces(site, found)) return;
  found.split = std::fabs(mean_shift(trial, random)) > 0.2 ? Split::bf16x6 : Split::bf16x9;
}

}  // namespace

double converted(const Operand& operand, Rounding rounding, float x) {
  if (operand.format == Format::fp32) return x;
  double taken = 0;
  for (int piece = 0; piece < operand.pieces; ++piece)
    taken += round_to(double{x} - taken, operand.format, rounding);
  return taken;
}

void measure_operands(Site& site, std::uint64_t seed, SumArithmetic& found) {
  if (!site.multiplies()) return;
  Random random(seed);
  Trial trial(site, found);
  std::vector<Pair> left;
  std::vector<Pair> right;
  std::vector<Pair> both;
  for (const float x : numbers(random)) {
    // 7 bits or 1: exact in every format, and other products meet other ties of a narrow sum.
    const float plain =
        random.below(2) == 0 ? 1.0f : 1.0f + static_cast<float>(random.below(128)) / 128;
    left.push_back(trial.ask(x, plain));
    right.push_back(trial.ask(plain, x));
    both.push_back(trial.ask(x, random.significand()));
  }
  found.left = fit(trial, left, true);
  found.right = fit(trial, right, false);
  tell_fp16(site, true, found.left);
  tell_fp16(site, false, found.right);
  found.products_round_once = std::all_of(both.begin(), both.end(), [&](const Pair& p) {
    return trial.fits(p, converted(found.left, found.left.rounding(), p.left),
                      converted(found.right, found.right.rounding(), p.right));
  });
  tell_split(site, trial, random, found);
}

}  // namespace ulpfuzz::probe
