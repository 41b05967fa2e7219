#include "naming/plant.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "jacobian_evaluation.hpp"
#include "kinks.hpp"
#include "signature_altered.hpp"
#include "ulpfuzz/network/derivatives.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::bench {
namespace {

using diagnosis::Layout;
using diagnosis::Quantity;

constexpr std::array<std::string_view, 15> names{"unwritten",         "zero",
                                                 "doubled",           "halved",
                                                 "times batch",       "divided by batch",
                                                 "sign flipped",      "row leak",
                                                 "row mod n",         "neighbour element",
                                                 "wrong mask",        "transposed weight",
                                                 "missing bias",      "last product dropped",
                                                 "activation missing"};

const Subject& loops() {
  static const Registry registry = builtin_subjects();
  return *registry.find("loops");
}

/// One planting: the honest result, and where the seed points.
class Planter {
 public:
  Planter(const Network& network, std::span<const Tensor> parameters,
          std::span<const float* const> inputs, std::size_t rows, Quantity quantity,
          std::span<const float> honest, std::uint64_t seed)
      : network_(network),
        parameters_(parameters),
        inputs_(inputs),
        layout_(diagnosis::layout_of(network, quantity, rows)),
        values_(honest.begin(), honest.end()),
        honest_(honest),
        random_(seed * 0x9e3779b97f4a7c15u + 1) {}

  void scale(float factor) {
    const Scope s = scope();
    each(s, [&](std::size_t i) { values_[i] = honest_[i] * factor; });
  }

  void unwritten() {
    constexpr std::array<std::uint32_t, 4> fills{unwritten_bits, 0xcdcdcdcdu, 0xbaadf00du, 0u};
    const std::uint32_t bits = fills[below(fills.size())];
    const std::size_t n = values_.size();
    for (std::size_t i = n - std::max<std::size_t>(n / 4, 1); i < n; ++i)
      values_[i] = std::bit_cast<float>(bits);
  }

  /// One row in three, at least one, holds another's values.
  void row_leak() {
    if (layout_.rows < 2) return values_.clear();
    const std::size_t to = below(layout_.rows);
    const std::size_t from = (to + 1 + below(layout_.rows - 1)) % layout_.rows;
    copy_row(from, to);
  }

  void row_mod() {
    std::size_t n = 2;
    while (4 * n <= layout_.rows) n *= 2;
    if (n + 2 > layout_.rows) return values_.clear();
    for (std::size_t row = n; row < layout_.rows; ++row) copy_row(row % n, row);
  }

  void neighbour() {
    const Scope s = scope();
    const std::size_t last = values_.size() - 1;
    each(s, [&](std::size_t i) { values_[i] = honest_[std::min(i + 1, last)]; });
  }

  void altered(std::string_view name) {
    const auto all = diagnosis::altered_networks(network_, parameters_, false);
    std::vector<const diagnosis::Altered*> fit;
    for (const auto& a : all)
      if (a.name == name) fit.push_back(&a);
    if (fit.empty()) return values_.clear();
    const auto& a = *fit[below(fit.size())];
    values_ = evaluate_plainly(a.network, a.parameters, inputs_, layout_.rows, layout_.quantity);
  }

  /// Of one unit in one row, or of all units of one activation.
  void wrong_mask() {
    const Network gradient = layout_.quantity == Quantity::outputs
                                 ? Network{}
                                 : vjp(network_, static_cast<std::uint32_t>(layout_.outputs));
    diagnosis::KinkJudge judge(network_, parameters_, {});
    if (layout_.quantity == Quantity::outputs || judge.kinks().empty()) return values_.clear();
    const auto masked = diagnosis::with_slopes_as_inputs(gradient, network_);
    std::vector<std::vector<float>> slopes(judge.kinks().size());
    const std::size_t row = below(layout_.rows);
    const std::size_t kink = below(judge.kinks().size());
    const bool open = below(2) == 0;
    for (std::size_t r = 0; r < layout_.rows; ++r) {
      auto known = judge.judge(diagnosis::row_inputs(network_, inputs_, r));
      auto& of_kink = known.slopes[kink];
      if (open) {
        std::fill(of_kink.begin(), of_kink.end(), 1.0f);
      } else if (r == row) {
        float& slope = of_kink[below(of_kink.size())];
        slope = diagnosis::other_slope(judge.kinks()[kink], slope);
      }
      for (std::size_t k = 0; k < slopes.size(); ++k)
        slopes[k].insert(slopes[k].end(), known.slopes[k].begin(), known.slopes[k].end());
    }
    std::vector<const float*> more;
    for (const auto& source : masked.inputs)
      if (source.slopes) more.push_back(slopes[source.index].data());
    const diagnosis::QuantityEvaluator evaluator(network_, masked.network, parameters_,
                                                 layout_.quantity);
    values_ = evaluator.evaluate(loops(), inputs_, layout_.rows, more);
  }

  std::vector<float> take() {
    double largest = 0, moved = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      largest = std::max(largest, std::fabs(double{honest_[i]}));
      const double d = std::fabs(double{values_[i]} - double{honest_[i]});
      moved = std::max(moved, std::isnan(d) ? HUGE_VAL : d);
    }
    if (!(moved > 1e-3 * largest)) values_.clear();
    return std::move(values_);
  }

 private:
  struct Scope {
    std::size_t row = 0, rows = 0, element = 0, elements = 0;
  };

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  /// All rows or one; all parameters or one.
  Scope scope() {
    Scope s{0, layout_.rows, 0, layout_.elements};
    if (below(2) == 0 && layout_.row_size() > 2) s = {below(layout_.rows), 1, 0, layout_.elements};
    if (layout_.blocks.size() > 1 && below(2) == 0) {
      const Layout::Block& block = layout_.blocks[below(layout_.blocks.size())];
      s.element = block.first;
      s.elements = block.shape.size();
    }
    return s;
  }

  template <class Do>
  void each(const Scope& s, const Do& act) {
    for (std::size_t row = s.row; row < s.row + s.rows; ++row)
      for (std::size_t o = 0; o < layout_.outputs; ++o)
        for (std::size_t e = s.element; e < s.element + s.elements; ++e)
          act((row * layout_.outputs + o) * layout_.elements + e);
  }

  void copy_row(std::size_t from, std::size_t to) {
    const std::size_t size = layout_.row_size();
    for (std::size_t i = 0; i < size; ++i) values_[to * size + i] = honest_[from * size + i];
  }

  const Network& network_;
  std::span<const Tensor> parameters_;
  std::span<const float* const> inputs_;
  Layout layout_;
  std::vector<float> values_;
  std::span<const float> honest_;
  std::mt19937_64 random_;
};

}  // namespace

std::span<const std::string_view> plantable() { return names; }

std::vector<float> evaluate_plainly(const Network& network, std::span<const Tensor> parameters,
                                    std::span<const float* const> inputs, std::size_t rows,
                                    Quantity quantity) {
  return diagnosis::QuantityEvaluator(network, parameters, quantity)
      .evaluate(loops(), inputs, rows);
}

std::vector<float> plant(std::string_view name, const Network& network,
                         std::span<const Tensor> parameters, std::span<const float* const> inputs,
                         std::size_t rows, Quantity quantity, std::span<const float> honest,
                         std::uint64_t seed) {
  Planter p(network, parameters, inputs, rows, quantity, honest, seed);
  const auto batch = static_cast<float>(rows);
  if (name == "unwritten")
    p.unwritten();
  else if (name == "zero")
    p.scale(0);
  else if (name == "doubled")
    p.scale(2);
  else if (name == "halved")
    p.scale(0.5f);
  else if (name == "times batch")
    p.scale(batch);
  else if (name == "divided by batch")
    p.scale(1 / batch);
  else if (name == "sign flipped")
    p.scale(-1);
  else if (name == "row leak")
    p.row_leak();
  else if (name == "row mod n")
    p.row_mod();
  else if (name == "neighbour element")
    p.neighbour();
  else if (name == "wrong mask")
    p.wrong_mask();
  else if (std::find(names.begin(), names.end(), name) != names.end())
    p.altered(name);
  else
    throw std::invalid_argument("plant: no class \"" + std::string(name) + "\"");
  return p.take();
}

}  // namespace ulpfuzz::bench
