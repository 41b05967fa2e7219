#include "conditional.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ulpfuzz::bounds {
namespace {

constexpr std::array<std::uint8_t, 1> whole{0};
// High x high, high x low, low x high; six: also middle x middle, high x third, third x high.
constexpr std::array<std::uint8_t, 3> left_of_three{0, 0, 1}, right_of_three{0, 1, 0};
constexpr std::array<std::uint8_t, 6> left_of_six{0, 0, 1, 1, 0, 2}, right_of_six{0, 1, 0, 1, 2, 0};

constexpr std::size_t most_pieces = 3;
using Pieces = std::array<double, most_pieces>;

Pieces pieces_of(double x, const Conversion& how) {
  Pieces p{};
  for (std::size_t i = 0; i < how.pieces; ++i) {
    p[i] = round_to(x, how.format, how.rounding);
    x -= p[i];
  }
  return p;
}

// By how much the pieces of a number within `radius` of x may differ from those of x. The first
// piece that may differ is monotone in x. Where others follow it, all that is known is that kept
// products err by `lost` on either side, which the first piece's radius then carries alone.
Pieces radii_of(double x, double radius, const Pieces& p, const Conversion& how) {
  Pieces radii{};
  if (radius == 0) return radii;
  const Pieces low = pieces_of(x - radius, how), high = pieces_of(x + radius, how);
  std::size_t first = 0;
  while (first < how.pieces && low[first] == high[first]) ++first;
  if (first == how.pieces) return radii;
  if (first + 1 == how.pieces) {
    radii[first] = std::max(high[first] - p[first], p[first] - low[first]);
  } else {
    const double reach = std::fabs(x) + radius;
    radii[0] = (radius + 2 * how.lost * reach + 4 * traits(how.format).least()) * (1 + 0x1p-10);
    if (std::isinf(low[0]) || std::isinf(high[0]))
      radii[0] = std::numeric_limits<double>::infinity();
  }
  return radii;
}

struct Converted {
  Pieces piece, radius, deviation;
  State state = State::finite;
};

Converted convert(double x, double radius, double variance, const Conversion& how) {
  Converted c{pieces_of(x, how), {}, {}};
  if (radius > 0) {
    c.radius = radii_of(x, radius, c.piece, how);
    // What no legal evaluation straddles has no deviation either.
    if (c.radius != Pieces{})
      c.deviation =
          radii_of(x, std::min(straddle_lambda * std::sqrt(variance), radius), c.piece, how);
  }
  const double reach = std::fabs(c.piece[0]) + c.radius[0];
  if (std::isinf(c.piece[0]) && std::isfinite(x) && how.pieces == 1 &&
      round_to(x - std::copysign(radius, x), how.format, how.rounding) == c.piece[0]) {
    c.state = State::class_known;
    c.radius = c.deviation = {};
  } else if (!std::isfinite(reach)) {
    c.state = State::unknown;
    c.piece = c.radius = c.deviation = {};
  }
  return c;
}

// Of an element that is not finite: NaN stays NaN, and an infinity one where there is no split.
Converted convert_class(double x, State state, const Conversion& how) {
  Converted c{};
  c.state = state;
  if (state == State::class_known && std::isinf(x) && how.pieces > 1) c.state = State::unknown;
  if (c.state == State::class_known) c.piece.fill(x);
  return c;
}

void place(const Value& x, std::size_t i, const Conversion& how, std::size_t at, std::size_t stride,
           Value& to) {
  const State state = x.state_of(i);
  const Converted c = state == State::finite
                          ? convert(x.value[i], x.error_free ? 0 : x.error[i], x.variance[i], how)
                          : convert_class(x.value[i], state, how);
  if (c.state != State::finite) to.make_dirty();
  for (const std::uint8_t p : how.copies) {
    to.value[at] = c.piece[p];
    to.error[at] = c.radius[p];
    to.variance[at] = c.deviation[p] * c.deviation[p];
    if (!to.clean) to.state[at] = c.state;
    at += stride;
  }
}

void settle_entry(Value& to, std::size_t entry) {
  const std::size_t from = entry * to.size();
  bool exact = true;
  for (std::size_t i = from; i < from + to.size(); ++i)
    exact = exact && to.error[i] == 0 && to.state_of(i) == State::finite;
  if (exact) to.grid[entry] = grid_of(to.value.data() + from, to.size());
  to.error_free = to.error_free && exact;
}

}  // namespace

Conversion Conversion::of(const Arithmetic& a, bool left, bool inner_rows) {
  Conversion c{.format = operand_format(a), .rounding = a.conversion, .copies = whole};
  c.inner_rows = inner_rows;
  if (a.split == Split::none) return c;
  const double v =
      traits(c.format).unit_roundoff() * (a.conversion == Rounding::toward_zero ? 2 : 1);
  const bool six = a.split == Split::bf16x6;
  c.pieces = six ? 3 : 2;
  c.lost = (six ? 4 * v * v * v : 3 * v * v) * (1 + 4 * v);
  c.copies = six ? std::span<const std::uint8_t>(left ? left_of_six : right_of_six)
                 : std::span<const std::uint8_t>(left ? left_of_three : right_of_three);
  return c;
}

void convert_operand(const Value& x, const Conversion& how, Value& to) {
  const std::size_t copies = how.copies.size();
  const auto rows = static_cast<std::uint32_t>(x.rows * (how.inner_rows ? copies : 1));
  const auto cols = static_cast<std::uint32_t>(x.cols * (how.inner_rows ? 1 : copies));
  to.reset(x.entries, {rows, cols});
  to.conspiring = x.conspiring;
  to.alike = x.alike;
  to.error_free = true;
  const std::size_t stride = how.inner_rows ? x.size() : x.cols;
  for (std::size_t r = 0, i = 0; r < x.entries * x.rows; ++r) {
    const std::size_t entry = r / x.rows;
    const std::size_t start = how.inner_rows ? entry * to.size() + r % x.rows * x.cols : r * cols;
    for (std::size_t j = 0; j < x.cols; ++j, ++i) place(x, i, how, start + j, stride, to);
  }
  for (std::size_t e = 0; e < x.entries; ++e) settle_entry(to, e);
}

}  // namespace ulpfuzz::bounds
