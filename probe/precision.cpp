#include <algorithm>
#include <cmath>
#include <map>

#include "reveal.hpp"
#include "sum_arithmetic.hpp"

namespace ulpfuzz::probe {
namespace {

constexpr int smallest = 60;  // far enough to see fp64
constexpr std::size_t most_nodes = 256;

Term times(Term t, float factor) { return {t.left * factor, t.right}; }

/// Terms of a sum: two that meet in the node that is looked at, and one that takes the large one
/// away afterwards.
struct Trio {
  std::size_t large, small, away;
  bool direct = false;  ///< there is no place outside: the result itself is looked at
};

/// The number that is 1 in what follows is 2^base, so that results in fp16 have room below it:
/// 2^(base - t) comes through alone up to t = reach.
struct Scale {
  int base = 0;
  int reach = 0;

  explicit Scale(Site& site) {
    reach = reach_of(site);
    if (reach >= 53) return;
    base = 10;
    reach = reach_of(site);
  }
  Term at(int t) const { return power(base - t); }
  double value(int t) const { return std::ldexp(1.0, base - t); }

 private:
  int reach_of(Site& site) const {
    int t = 0;
    while (t < smallest && site.ask({{0, at(t + 1)}}) == static_cast<float>(value(t + 1))) ++t;
    return t;
  }
};

float result(Site& site, const Trio& at, Term large, Term small) {
  if (at.direct) return site.ask({{at.large, large}, {at.small, small}});
  return site.ask({{at.large, large}, {at.small, small}, {at.away, negative(large)}});
}

bool keeps(Site& site, const Scale& scale, const Trio& at, int t) {
  const double expected = (at.direct ? scale.value(0) : 0.0) + scale.value(t);
  return double{result(site, at, scale.at(0), scale.at(t))} == expected;
}

/// The most significant bits that 1 + 2^-t keeps.
int bits_at(Site& site, const Scale& scale, const Trio& at) {
  int kept = 0;
  int lost = at.direct ? std::min(scale.reach, 30) : scale.reach;  // the result is fp32
  if (keeps(site, scale, at, lost)) return all_bits;
  while (lost - kept > 1) {
    const int t = (kept + lost) / 2;
    (keeps(site, scale, at, t) ? kept : lost) = t;
  }
  return kept + 1;
}

// The first bit that is lost has weight 2^-bits; the last kept one, the spacing, twice that.
Direction direction_at(Site& site, const Scale& scale, const Trio& at, int bits) {
  const auto steps = [&](float sign, float factor) {
    const float got =
        result(site, at, times(scale.at(0), sign), times(scale.at(bits), sign * factor));
    const double rest = double{got} - (at.direct ? double{sign} * scale.value(0) : 0.0);
    return rest * double{sign} / scale.value(bits - 1);
  };
  const double tie = steps(1, 1);
  const double above = steps(1, 1.5f);
  const double below = steps(1, 0.75f);
  const double negative_above = steps(-1, 1.5f);
  if (below == 1 && negative_above == 0) return Direction::up;
  if (above == 0 && negative_above == 1) return Direction::down;
  if (above == 0 && negative_above == 0) return Direction::toward_zero;
  if (above == 1 && below == 0 && negative_above == 1)
    return tie == 0 ? Direction::nearest_even : Direction::nearest_away;
  return Direction::untold;
}

/// Places in a revealed tree.
class Places {
 public:
  explicit Places(const SumTree& tree) : tree_(tree), up_(parents(tree)) {}

  /// The sum that `id` is, and a term that is added to it next.
  Trio trio(std::size_t id) const {
    const auto& children = tree_.nodes[id].children;
    Trio at{some_leaf(tree_, children[0]), some_leaf(tree_, children[1]), 0, id == tree_.root};
    if (at.direct) return at;
    for (const std::size_t sibling : tree_.nodes[up_[id]].children)
      if (sibling != id) at.away = some_leaf(tree_, sibling);
    return at;
  }
  /// Inner nodes, at most so many, spread over the tree.
  std::vector<std::size_t> sums(std::size_t most) const {
    std::vector<std::size_t> all;
    for (std::size_t id = 0; id < tree_.nodes.size(); ++id)
      if (!tree_.nodes[id].children.empty()) all.push_back(id);
    if (all.size() <= most) return all;
    std::vector<std::size_t> some;
    for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
    return some;
  }
  bool is_bias(std::size_t id) const {
    return tree_.bias && node(id).children.empty() && node(id).term + 1 == leaves(tree_);
  }
  const SumTree::Node& node(std::size_t id) const { return tree_.nodes[id]; }
  /// The sums that term 0 goes through before the last one.
  std::vector<std::size_t> above_first() const {
    std::size_t id = 0;
    while (!tree_.nodes[id].children.empty() || tree_.nodes[id].term != 0) ++id;
    std::vector<std::size_t> path;
    for (id = up_[id]; id != tree_.root; id = up_[id]) path.push_back(id);
    return path;
  }

 private:
  const SumTree& tree_;
  std::vector<std::size_t> up_;
};

/// Of a sum of more than two parts: how many products it takes at once, to how many fractional bits
/// of the largest they are cut, and how the block's sum becomes fp32.
void measure_unit(Site& site, const Scale& scale, const Places& places, std::size_t id,
                  SumArithmetic& found) {
  const auto& children = places.node(id).children;
  std::vector<std::size_t> own;
  for (const std::size_t c : children)
    if (places.node(c).children.empty() && !places.is_bias(c)) own.push_back(places.node(c).term);
  if (own.size() < 3 || own.size() < found.unit.block) return;
  if (own.size() == found.unit.block && found.unit_rounding != Direction::untold) return;
  found.unit.block = static_cast<std::uint32_t>(own.size());
  found.whole_sum = own.size() == site.place().k;
  const Trio inside{own[0], own[1], own[2]};
  int cut = 1;
  while (cut < scale.reach && keeps(site, scale, inside, cut)) ++cut;
  found.unit.fraction = cut - 1;
  if (own.size() < 4 || found.unit.fraction < 23) return;
  // 2 + 3 2^-23 lies in the middle of 2 + 2^-22 and 2 + 2^-21.
  const double sum =
      site.ask({{own[0], {1, 1}}, {own[1], {1, 1}}, {own[2], power(-23)}, {own[3], power(-22)}});
  if (sum == 2 + 0x1p-22) found.unit_rounding = Direction::toward_zero;
  if (sum == 2 + 0x1p-21) found.unit_rounding = Direction::nearest_even;
}

void take_bits(Site& site, const Scale& scale, const Places& places, SumArithmetic& found) {
  std::map<int, std::size_t> frequency;
  for (const std::size_t id : places.sums(most_nodes)) {
    if (places.node(id).children.size() > 2) measure_unit(site, scale, places, id, found);
    const Trio at = places.trio(id);
    found.node_bits[id] = bits_at(site, scale, at);
    if (at.direct)
      found.result_bits = found.node_bits[id];
    else
      ++frequency[found.node_bits[id]];
  }
  found.sum_bits = frequency.empty() ? found.result_bits : frequency.rbegin()->first;
  for (const auto& [bits, times] : frequency)
    if (bits < found.sum_bits) {
      found.partials += times;
      found.partial_bits = bits;
    }
  found.first_bits = found.sum_bits;
  for (const std::size_t id : places.above_first())
    if (found.node_bits[id] > 0) found.first_bits = std::min(found.first_bits, found.node_bits[id]);
}

/// Without a tree: of three places, one pair is added first, so the worst assignment counts.
void take_bits_blindly(Site& site, const Scale& scale, SumArithmetic& found) {
  const std::size_t n = site.terms();
  const std::size_t middle = n / 2;
  found.result_bits = bits_at(site, scale, {0, n - 1, 0, true});
  found.sum_bits = found.result_bits;
  if (n >= 3)
    found.sum_bits = std::min({bits_at(site, scale, {0, middle, n - 1}),
                               bits_at(site, scale, {0, n - 1, middle}),
                               bits_at(site, scale, {middle, n - 1, 0})});
  found.first_bits = found.sum_bits;
}

}  // namespace

Term power(int exponent) {
  const int half = exponent / 2;
  return {std::ldexp(1.0f, half), std::ldexp(1.0f, exponent - half)};
}

void measure_precision(Site& site, const SumTree& tree, SumArithmetic& found) {
  const Scale scale(site);
  if (!tree.revealed) return take_bits_blindly(site, scale, found);
  const Places places(tree);
  found.node_bits.assign(tree.nodes.size(), 0);
  take_bits(site, scale, places, found);
  if (found.sum_bits == all_bits) return;
  for (const std::size_t id : places.sums(most_nodes)) {
    if (found.node_bits[id] != found.sum_bits || places.node(id).children.size() > 2) continue;
    const Trio at = places.trio(id);
    found.sum_rounding = direction_at(site, scale, at, found.sum_bits);
    if (!at.direct) found.trio = {at.large, at.small, at.away};
    return;
  }
}

}  // namespace ulpfuzz::probe
