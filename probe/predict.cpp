#include <algorithm>
#include <cmath>
#include <vector>

#include "random.hpp"
#include "sum_arithmetic.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::probe {
namespace {

/// Evaluates a sum node by node as tree and arithmetic say.
class Prediction {
 public:
  Prediction(const SumTree& tree, const SumArithmetic& a, bool multiplies, bool rounds_numbers)
      : tree_(tree),
        a_(a),
        multiplies_(multiplies),
        rounds_numbers_(rounds_numbers),
        value_(tree.nodes.size()) {}

  float sum(const std::vector<Term>& terms) {
    terms_ = &terms;
    for (std::size_t id = 0; id < tree_.nodes.size(); ++id) {
      const auto& children = tree_.nodes[id].children;
      if (children.empty())
        value_[id] = leaf(tree_.nodes[id].term);
      else if (children.size() > 2 || is_short_block(children))
        value_[id] = block(children);
      else
        value_[id] = narrowed(id, add(children[0], children[1]));
    }
    return static_cast<float>(value_[tree_.root]);
  }

 private:
  bool is_bias(std::size_t term) const { return tree_.bias && term == terms_->size() - 1; }
  /// The last block of a unit may have but one product.
  bool is_short_block(const std::vector<std::size_t>& children) const {
    return a_.unit.block > 0 && std::any_of(children.begin(), children.end(), [&](std::size_t c) {
             return is_leaf(c) && !is_bias(tree_.nodes[c].term);
           });
  }
  bool is_leaf(std::size_t id) const { return tree_.nodes[id].children.empty(); }
  double rounded(double x) const { return round_bits(x, a_.sum_bits, Direction::nearest_even); }

  double left(std::size_t term) const {
    return converted(a_.left, a_.left.rounding(), (*terms_)[term].left);
  }
  double right(std::size_t term) const {
    return converted(a_.right, a_.right.rounding(), (*terms_)[term].right);
  }
  double leaf(std::size_t term) const {
    const Term& t = (*terms_)[term];
    if (is_bias(term) || !multiplies_)
      return rounds_numbers_ ? rounded(t.left * t.right) : t.left * t.right;
    const double product = left(term) * right(term);
    return a_.unit.block > 0 ? product : rounded(product);
  }

  double add(std::size_t a, std::size_t b) const {
    if (a_.fused[a]) std::swap(a, b);
    if (!a_.fused[b]) return rounded(value_[a] + value_[b]);
    const std::size_t term = tree_.nodes[b].term;
    return std::fma(static_cast<float>(left(term)), static_cast<float>(right(term)),
                    static_cast<float>(value_[a]));
  }

  double narrowed(std::size_t id, double x) const {
    const int bits = a_.node_bits[id] > 0 ? a_.node_bits[id] : a_.sum_bits;
    return round_bits(x, bits, Direction::nearest_even);
  }

  /// By the exponents of the factors: a product may be twice its power of two.
  double power_of(std::size_t id) const {
    if (!is_leaf(id)) return value_[id] == 0 ? 0 : std::ldexp(1.0, std::ilogb(value_[id]));
    const std::size_t term = tree_.nodes[id].term;
    if (is_bias(term)) return std::ldexp(1.0, std::ilogb(value_[id]));
    return std::ldexp(1.0, std::ilogb(left(term)) + std::ilogb(right(term)));
  }

  double block(const std::vector<std::size_t>& children) const {
    double largest = 0;
    for (const std::size_t c : children) largest = std::max(largest, power_of(c));
    const double quantum = std::ldexp(largest, -a_.unit.fraction);
    double sum = 0;
    for (const std::size_t c : children) sum += std::trunc(value_[c] / quantum) * quantum;
    return round_bits(sum, 24, Direction::toward_zero);
  }

  const SumTree& tree_;
  const SumArithmetic& a_;
  bool multiplies_;
  bool rounds_numbers_;  ///< terms that are no products, before they are added
  std::vector<double> value_;
  const std::vector<Term>* terms_ = nullptr;
};

bool says_enough(const SumTree& tree, const SumArithmetic& a) {
  if (!tree.revealed || a.split != Split::none || !a.left.known || !a.right.known) return false;
  if (a.unit.block > 0) return true;
  const bool measured_everywhere =
      a.partials == 0 || std::none_of(a.node_bits.begin(), a.node_bits.end(),
                                      [](int bits) { return bits == all_bits; });
  return measured_everywhere && a.sum_bits <= 53 && a.sum_rounding == Direction::nearest_even;
}

}  // namespace

double round_bits(double x, int bits, Direction direction) {
  if (bits >= 53 || x == 0 || !std::isfinite(x)) return x;
  const double quantum = std::ldexp(1.0, std::ilogb(x) - bits + 1);
  const double steps = x / quantum;
  switch (direction) {
    case Direction::nearest_away:
      return std::round(steps) * quantum;
    case Direction::toward_zero:
      return std::trunc(steps) * quantum;
    case Direction::down:
      return std::floor(steps) * quantum;
    case Direction::up:
      return std::ceil(steps) * quantum;
    default:
      return std::nearbyint(steps) * quantum;
  }
}

std::optional<std::size_t> count_predicted(Site& site, const SumTree& tree,
                                           const SumArithmetic& arithmetic, std::uint64_t seed,
                                           std::size_t count) {
  if (!says_enough(tree, arithmetic)) return std::nullopt;
  Random random(seed);
  Prediction plain(tree, arithmetic, site.multiplies(), false);
  Prediction rounding(tree, arithmetic, site.multiplies(), true);
  std::vector<Term> terms(site.terms());
  std::size_t as_they_are = 0;
  std::size_t rounded = 0;
  const auto shown = [&](double sum) {
    return static_cast<float>(
        round_bits(sum, std::min(arithmetic.result_bits, 24), Direction::nearest_even));
  };
  for (std::size_t i = 0; i < count; ++i) {
    for (Term& t : terms) t = {random.number(), random.number()};
    const float got = site.ask(terms);
    as_they_are += same_bits(shown(plain.sum(terms)), got);
    rounded += same_bits(shown(rounding.sum(terms)), got);
  }
  return std::max(as_they_are, rounded);
}

}  // namespace ulpfuzz::probe
