#include <array>
#include <cmath>

#include "jets.hpp"
#include "rules.hpp"
#include "smooth.hpp"
#include "states.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bounds {
namespace {

// phi' left of the kink at 0, and how far it may be from there over the box; right of it phi' is 1.
struct Left {
  double slope = 0, image = 0, local = 0;
};

struct Kinked {
  Op op;
  double alpha;

  Left left(double z, double e, const Model& m) const {
    if (op == Op::relu) return {};
    if (op == Op::leaky_relu) return {alpha, 0, 0};
    const double size = std::fabs(alpha);
    return {alpha * std::exp(std::min(z, 0.0)), size * std::exp(std::min(z + e, 0.0)) * e,
            m.u * size * (2 * m.kappa.exp + 4 + per_unit_elu * m.kappa.exp_per_unit) + 4 * m.eta};
  }
  // Over an undecided box: the hull of both sides.
  double hull(double e) const {
    if (op != Op::elu) return std::fabs(1 - slope());
    return std::min(std::fabs(1 - alpha) + 2 * std::fabs(alpha) * e, 1 + std::fabs(alpha));
  }
  double slope() const { return op == Op::relu ? 0 : alpha; }
  bool smooth() const { return slope() == 1; }
};

void kink_element(const Kinked& phi, double z, double e, double z_variance, float seen, Value& y,
                  std::size_t i, Context& c) {
  const Model& m = c.model;
  const bool decided = std::fabs(z) > e + m.daz;
  const bool observed = seen > 0 || seen < 0;
  // What is seen is fp32, in which a smaller z of a wider evaluation is 0.
  const bool zero = seen == 0 && std::fabs(z) - e >= 0x1p-149;
  if (decided && (zero || (observed && (seen > 0) != (z > 0)))) ++c.contradicted;
  const bool positive = decided || !observed ? z > 0 : seen > 0;
  const Left left = phi.left(z, e, m);
  double image = positive ? 0 : left.image;
  const double local = positive && (decided || observed) ? 0 : left.local;
  double variance = positive ? 0 : left.slope * left.slope * z_variance * 2;
  if (phi.op != Op::elu) variance = 0;
  if (!decided && !observed) {
    image = phi.hull(e);
    // Where z is out of reach of 0 in the probabilistic model, the mask does not flip in it.
    const double deviation = image / least_lambda;
    if (z * z <= 81 * z_variance) variance = deviation * deviation;
    if (!phi.smooth()) ++c.undecided;
  }
  y.value[i] = positive ? 1 : left.slope;
  y.error[i] = (image + local) * inflation;
  y.local[i] = local;
  y.variance[i] = variance + local * local;
}

// Masks of a relu are 0 and 1, exactly, so they keep the exact tier alive.
void kink_rule(const Kinked& phi, const Value& x, std::span<const float> observed, Value& y,
               Context& c) {
  const std::array<float, 2> slopes = {static_cast<float>(phi.slope()), 1.0f};
  const int grid = phi.op == Op::elu ? no_grid : grid_of(slopes.data(), slopes.size());
  constexpr float unseen = std::numeric_limits<float>::quiet_NaN();
  const std::size_t before = c.undecided;
  y.error_free = true;
  for (std::size_t e = 0, i = 0; e < x.entries; ++e) {
    bool exact = true;
    for (std::size_t end = i + x.size(); i < end; ++i) {
      const bool finite = x.state_of(i) == State::finite;
      if (finite) {
        kink_element(phi, x.value[i], x.error[i], x.variance[i],
                     i < observed.size() ? observed[i] : unseen, y, i, c);
      } else {
        y.value[i] = y.error[i] = y.variance[i] = y.local[i] = 0;
      }
      exact = exact && finite && y.error[i] == 0;
    }
    if (exact) y.grid[e] = grid;
    y.error_free = y.error_free && exact;
  }
  y.conspiring = c.undecided > before;
}

// x^3 and x^2 of the usual formula for gelu_tanh' may overflow where its other factor is 0.
bool formula_overflows(const Node& node, double reach) {
  return node.of == Op::gelu_tanh && reach > 1e12;
}

void settle_states(const Node& node, const Value& x, Value& y, const Model& m) {
  for (std::size_t i = 0; i < x.count(); ++i) {
    const bool finite = x.state_of(i) == State::finite &&
                        std::fabs(y.value[i]) + y.error[i] < m.omega &&
                        !formula_overflows(node, std::fabs(x.value[i]) + x.error[i]);
    if (finite) continue;
    y.make_dirty();
    y.state[i] = State::unknown;
  }
}

}  // namespace

void derivative_rule(const Node& node, const Value& x, std::span<const float> observed, Value& y,
                     Context& c) {
  if (has_kink(node)) {
    kink_rule({node.of, node.alpha}, x, observed, y, c);
  } else {
    smooth_rule(node.of, Part::slope, x, y, c.model);
  }
  if (!x.clean || node.of == Op::gelu_tanh || node.of == Op::elu || c.model.narrow)
    settle_states(node, x, y, c.model);
}

}  // namespace ulpfuzz::bounds
