#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace ulpfuzz::bench {

using Random = std::mt19937_64;
inline std::size_t pick(Random& random, std::size_t n) { return random() % n; }

/// In which order the terms of a sum are added. `lanes*`: so many accumulators in turn, then
/// pairwise. `split`: contiguous parts, each left to right. `greedy`: next comes the term whose
/// addition errs most to one side.
enum class Order : std::uint8_t {
  sequential,
  reversed,
  pairwise,
  lanes4,
  lanes8,
  lanes32,
  ascending,
  descending,
  signs,
  shuffled,
  tree,
  split,
  greedy
};
inline constexpr std::array<std::string_view, 13> order_names{
    "sequential", "reversed", "pairwise", "lanes4",      "lanes8", "lanes32", "ascending",
    "descending", "signs",    "shuffled", "random_tree", "split",  "greedy"};

/// How elementary functions use what they may err: nearest value, or off by nearly the claim, up,
/// down or at random.
enum class Elementary : std::uint8_t { nearest, up, down, random };

enum class Bias : std::uint8_t { first, last };

/// Everything that an evaluator may choose inside its stated arithmetic.
struct Style {
  Order order = Order::sequential;
  bool fused = false;
  Bias bias = Bias::last;
  int formula = 0;  ///< 0..7, read by each function in its own way
  Elementary elementary = Elementary::nearest;
  bool ftz = true, daz = true;  ///< where the arithmetic flushes at all
  bool rounds_inside = false;   ///< narrow accumulation: also inside functions, not at their end
  bool unnormalised = false;    ///< a unit aligns by the operands' exponents, not the products'
  double at_kink = 0;           ///< slope of a kinked function at 0 exactly, as a share of the jump
  std::uint64_t seed = 0;

  /// Choices that look at the roundings, or err to one side on purpose: no mean-zero model fits.
  bool conspires() const {
    return order == Order::greedy || elementary == Elementary::up || elementary == Elementary::down;
  }
};

Style draw_style(Random& random);
std::string describe(const Style& style);

}  // namespace ulpfuzz::bench
