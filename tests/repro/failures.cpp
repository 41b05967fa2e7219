#include "failures.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace ulpfuzz::repro {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// The network with these parameters on these rows, one slice a row.
Case made(Network network, std::vector<Tensor> parameters, Tensor input) {
  Case c;
  c.cotangents = Tensor(
      input.rows, static_cast<std::uint32_t>(network.node(network.outputs()[0]).shape.size()));
  std::fill(c.cotangents.data.begin(), c.cotangents.data.end(), 1.0f);
  for (std::uint32_t r = 0; r < input.rows; ++r) c.split.push_back({{r}, 0});
  c.network = std::move(network);
  c.parameters = std::move(parameters);
  c.inputs.push_back(std::move(input));
  return c;
}

/// linear(k -> n) without bias, then an activation where one is given.
Network linear(std::uint32_t k, std::uint32_t n, Op phi = Op::linear) {
  Network network;
  const NodeId x = network.input(k);
  const NodeId y = network.linear(x, network.parameter(n, k));
  network.output(phi == Op::linear ? y : network.activation(phi, y));
  return network;
}

Network with_bias(std::uint32_t k, std::uint32_t n) {
  Network network;
  const NodeId x = network.input(k);
  const NodeId weight = network.parameter(n, k);
  network.output(network.linear(x, weight, network.parameter(1, n)));
  return network;
}

Network activation(Op phi, std::uint32_t n) {
  Network network;
  network.output(network.activation(phi, network.input(n)));
  return network;
}

/// x W^T W^T: one weight, used twice.
Network reused() {
  Network network;
  const NodeId x = network.input(2);
  const NodeId weight = network.parameter(2, 2);
  network.output(network.linear(network.linear(x, weight), weight));
  return network;
}

/// Rows 0, 1, 2, ... times `step`, plus `first`.
Tensor ramp(std::uint32_t rows, std::uint32_t cols, float first, float step) {
  Tensor t(rows, cols);
  for (std::size_t i = 0; i < t.data.size(); ++i) t.data[i] = first + step * static_cast<float>(i);
  return t;
}

std::vector<KnownFailure> forward_failures() {
  const Property* p = &properties::batched_vs_sliced;
  const auto of = [p](std::string name, Case c, bool bitwise = false) {
    return KnownFailure{name, "fault/" + name, p, bitwise, std::move(c)};
  };
  return {
      of("tf32_above_8", made(linear(2, 1, Op::tanh), {Tensor(1, 2, {1, 0x1.002p-1f})},
                              ramp(9, 2, -1, 0x1.03p-4f))),
      of("neighbour_row", made(linear(2, 2), {Tensor(2, 2, {1, 2, 0.5f, -1})}, ramp(3, 2, 1, 1))),
      of("no_bias_above_1",
         made(with_bias(1, 2), {Tensor(2, 1, {1, 2}), Tensor(1, 2, {0.5f, 0x1.8p-4f})},
              ramp(2, 1, 1, 1))),
      of("drops_last_product",
         made(linear(3, 1, Op::sigmoid), {Tensor(1, 3, {1, -1, 0x1.4p+1f})}, ramp(1, 3, 1, 1))),
      of("wrong_transpose_when_square",
         made(linear(2, 2), {Tensor(2, 2, {1, 2, 0, 1})}, ramp(2, 2, 1, 1))),
      of("swallows_nan", made(linear(1, 1), {Tensor(1, 1, {1})}, Tensor(2, 1, {nan, 1}))),
      of("row_mod_16", made(linear(1, 1), {Tensor(1, 1, {3})}, ramp(17, 1, 1, 1))),
      of("stale_partial_sum", made(linear(9, 1), {ramp(1, 9, 1, 0)}, ramp(2, 9, 1, 0.5f))),
      of("softplus_overflows", made(activation(Op::softplus, 2), {}, Tensor(1, 2, {100, 1}))),
      of("lanes_above_1",
         made(linear(6, 1), {ramp(1, 6, 1, 0)},
              Tensor(2, 6, {0x1p+24f, 1, 1, 1, -0x1p+24f, 1, 1, 1, 1, 1, 1, 1})),
         true),
      of("relu_swallows_nan", made(activation(Op::relu, 1), {}, Tensor(2, 1, {nan, 1})), true),
      of("nondeterministic", made(activation(Op::elu, 1), {}, Tensor(1, 1, {1.5f})))};
}

std::vector<KnownFailure> gradient_failures() {
  const Property* p = &properties::loop_vs_vectorized;
  const auto of = [p](std::string fault, Case c) {
    return KnownFailure{fault + "_gradient", "fault/" + fault, p, false, std::move(c)};
  };
  return {
      of("wrong_mask_vectorized", made(activation(Op::relu, 2), {}, Tensor(2, 2, {-1, 2, 3, -4}))),
      of("doubled_reused_gradient",
         made(reused(), {Tensor(2, 2, {1, 0, 2, 1})}, Tensor(2, 2, {1, 2, 3, 4}))),
      of("mean_of_means", made(linear(1, 1), {Tensor(1, 1, {1})}, ramp(3, 1, 1, 2))),
      of("gradient_in_fp16",
         made(linear(2, 1), {Tensor(1, 2, {1, 1})}, ramp(2, 2, 0x1.234568p+0f, 0.25f))),
      of("drops_last_product",
         made(linear(2, 2, Op::tanh), {Tensor(2, 2, {1, 0.5f, -0.25f, 0x1.8p-4f})},
              Tensor(2, 2, {0.5f, 1, -1, 0.25f})))};
}

}  // namespace

const std::vector<KnownFailure>& known_failures() {
  static const std::vector<KnownFailure> all = [] {
    std::vector<KnownFailure> failures = forward_failures();
    for (KnownFailure& f : gradient_failures()) failures.push_back(std::move(f));
    return failures;
  }();
  return all;
}

const KnownFailure& known_failure(const std::string& name) {
  for (const KnownFailure& f : known_failures())
    if (f.name == name) return f;
  throw std::invalid_argument("no failure " + name);
}

const Registry& known_subjects() {
  static const Registry registry = [] {
    Registry all = builtin_subjects();
    all.merge(planted_faults());
    return all;
  }();
  return registry;
}

Failure judged(const KnownFailure& known) {
  const Subject* subject = known_subjects().find(known.subject);
  if (subject == nullptr) throw std::invalid_argument("no subject " + known.subject);
  validate(known.value);
  CheckContext context;
  const CheckOptions options{.bitwise = known.bitwise};
  Failure failure{known.value, *known.property, *subject, options, {}, "", ""};
  failure.verdict = known.property->check(known.value, *subject, options, context);
  EXPECT_TRUE(failure.verdict.failed())
      << explain(*known.property, known.value, *subject, failure.verdict);
  return failure;
}

}  // namespace ulpfuzz::repro
