#include "data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ulpfuzz::generators {
namespace {

// Exact in any order: integers and powers of two whose sums stay within 24 bits.
bool exact(Values values) {
  return values == Values::small_integers || values == Values::powers_of_two;
}

void initialise(Tensor& t, Purpose purpose, Initialisation how, Words& words) {
  const auto inputs = static_cast<float>(std::max(purpose.inputs, 1u));
  const auto outputs = static_cast<float>(std::max(purpose.outputs, 1u));
  if (purpose.role == Role::scale) {
    fill_uniform(t.data, 0.5f, words);
    for (float& x : t.data) x += 1;
    return;
  }
  switch (purpose.role == Role::bias ? Initialisation::framework : how) {
    case Initialisation::framework:
      return fill_uniform(t.data, 1 / std::sqrt(inputs), words);
    case Initialisation::glorot:
      return fill_uniform(t.data, std::sqrt(6 / (inputs + outputs)), words);
    case Initialisation::he:
      return fill_normal(t.data, std::sqrt(2 / inputs), words);
    case Initialisation::normal:
      return fill_normal(t.data, 1 / std::sqrt(inputs), words);
  }
}

std::uint32_t any_row(const Tensor& t, Words& words) { return words.next() % t.rows; }

void make_special(Tensor& t, RowSpecial special, Words& words) {
  if (special == RowSpecial::none || t.rows == 0 || t.cols == 0) return;
  const auto row = t.row(any_row(t, words));
  float& element = row[words.next() % t.cols];
  switch (special) {
    case RowSpecial::none:
      break;
    case RowSpecial::nan_row:
      element = std::numeric_limits<float>::quiet_NaN();
      if (words.next() % 2 == 0) std::ranges::fill(row, element);
      break;
    case RowSpecial::infinite_row:
      element = std::numeric_limits<float>::infinity();
      break;
    case RowSpecial::equal_rows:
      for (std::size_t r = 0; r < t.rows; ++r) {
        if (words.next() % 2 == 0) std::ranges::copy(std::span(row), t.row(r).begin());
      }
      break;
    case RowSpecial::constant:
      std::ranges::fill(row, element);
      break;
    case RowSpecial::zero:
      std::ranges::fill(row, words.next() % 2 == 0 ? 0.0f : -0.0f);
      break;
  }
}

// Minus the product of one batch row, so that this row's pre-activation is 0 up to the order of its
// sum; exactly 0 where the values are on a grid.
float balancing_bias(const Tensor& x, std::size_t row, std::span<const float> weights) {
  float sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * x.row(row)[k];
  return -sum;
}

void aim(Case& c, const Node& linear, Words& words) {
  const Network& net = c.network;
  const Tensor& x = c.inputs[net.node(linear.args[0]).index];
  const Tensor& w = c.parameters[net.node(linear.args[1]).index];
  Tensor& bias = c.parameters[net.node(linear.args[2]).index];
  if (x.rows == 0 || x.cols != w.cols) return;
  for (std::uint32_t j = 0; j < w.rows; ++j) {
    if (words.next() % 2 != 0) continue;
    const float value = balancing_bias(x, any_row(x, words), w.row(j));
    if (std::isfinite(value)) bias.data[j] = value;
  }
}

void aim_at_kinks(Case& c, Words& words) {
  for (const Node& node : c.network.nodes()) {
    const bool on_input =
        node.op == Op::linear && node.arity == 3 && c.network.node(node.args[0]).op == Op::input;
    if (on_input) aim(c, node, words);
  }
}

void fill_cotangents(Tensor& v, std::uint8_t kind, Words& words) {
  switch (kind) {
    case 0:
      return fill(v, Values::normal, words);
    case 1:
      return fill(v, Values::ones, words);
    case 2:
      for (std::size_t r = 0; r < v.rows && v.cols > 0; ++r) v.row(r)[words.next() % v.cols] = 1;
      return;
    default:
      return fill(v, Values::small_integers, words);
  }
}

}  // namespace

DataPlan draw_data_plan(Source& source) {
  DataPlan plan;
  plan.initialisation = static_cast<Initialisation>(source.below(initialisation_count));
  const std::uint64_t cotangents = source.below(10);
  plan.cotangents = static_cast<std::uint8_t>(cotangents < 7 ? 0 : cotangents - 6);
  if (!source.chance(30)) {  // finite and well scaled, so that the bounds bite
    constexpr Values usual[]{Values::normal, Values::normal, Values::uniform, Values::positive};
    plan.inputs = usual[source.below(4)];
    return plan;
  }
  plan.inputs = static_cast<Values>(source.below(values_count));
  plan.special_parameters = source.chance(40);
  if (exact(plan.inputs)) plan.special_parameters = source.chance(85);
  if (plan.special_parameters) {
    plan.parameters = static_cast<Values>(source.below(values_count));
    if (exact(plan.inputs)) plan.parameters = Values::small_integers;
  }
  if (source.chance(35)) plan.special = static_cast<RowSpecial>(source.below(row_special_count));
  plan.aim_at_kinks = source.chance(20);
  return plan;
}

void fill_parameter(Tensor& t, Purpose purpose, const DataPlan& data, Words& words) {
  if (data.special_parameters) {
    fill(t, data.parameters, words);
  } else {
    initialise(t, purpose, data.initialisation, words);
  }
}

void fill_input(Tensor& t, const DataPlan& data, Words& words) {
  fill(t, data.inputs, words);
  make_special(t, data.special, words);
}

void fill_case(Case& c, const Plan& plan, const DataPlan& data, bool cotangents, Words& words) {
  const Network& net = c.network;
  c.parameters.reserve(net.parameters().size());
  for (std::size_t i = 0; i < net.parameters().size(); ++i) {
    const Shape shape = net.node(net.parameters()[i]).shape;
    Tensor& t = c.parameters.emplace_back(shape.rows, shape.cols);
    fill_parameter(t, plan.purposes[i], data, words);
  }
  c.inputs.reserve(net.inputs().size());
  for (const NodeId id : net.inputs()) {
    Tensor& t =
        c.inputs.emplace_back(plan.batch, static_cast<std::uint32_t>(net.node(id).shape.size()));
    fill_input(t, data, words);
  }
  if (data.aim_at_kinks) aim_at_kinks(c, words);
  if (!cotangents) return;
  c.cotangents = Tensor(plan.batch, static_cast<std::uint32_t>(c.output_width()));
  fill_cotangents(c.cotangents, data.cotangents, words);
}

}  // namespace ulpfuzz::generators
