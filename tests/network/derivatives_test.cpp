#include "ulpfuzz/network/derivatives.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "support/example_networks.hpp"
#include "support/naive_evaluator.hpp"

namespace ulpfuzz {
namespace {

using naive::Values;

constexpr std::size_t batch = 3;

Values random_values(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> draw(-1.2, 1.2);
  Values values(count);
  for (double& v : values) v = draw(engine);
  return values;
}

// A network at a point, and its Jacobian: blocks[w][(b * outputs + o) * elements + t], w over
// inputs, then parameters.
struct Point {
  const Network& network;
  std::vector<Values> inputs, parameters;
  std::size_t outputs;
  std::vector<std::size_t> elements;

  explicit Point(const Network& n) : network(n) {
    outputs = n.node(n.outputs().front()).shape.size();
    unsigned seed = 1;
    for (const NodeId id : n.inputs()) {
      elements.push_back(n.node(id).shape.size());
      inputs.push_back(random_values(batch * elements.back(), seed++));
    }
    for (const NodeId id : n.parameters()) {
      elements.push_back(n.node(id).shape.size());
      parameters.push_back(random_values(elements.back(), seed++));
    }
  }

  Values value() const { return naive::evaluate(network, parameters, batch, inputs)[0]; }

  // Element t of argument w, in batch row b.
  double& element(std::size_t w, std::size_t b, std::size_t t) {
    if (w < inputs.size()) return inputs[w][b * elements[w] + t];
    return parameters[w - inputs.size()][t];
  }
};

using Blocks = std::vector<Values>;

Blocks by_differences(Point point) {
  constexpr double h = 0x1p-17;
  Blocks blocks;
  for (std::size_t w = 0; w < point.elements.size(); ++w) {
    const std::size_t count = point.elements[w];
    Values block(batch * point.outputs * count);
    for (std::size_t i = 0; i < batch * count; ++i) {
      const std::size_t b = i / count, t = i % count;
      double& x = point.element(w, b, t);
      const double kept = x;
      x = kept + h;
      const Values above = point.value();
      x = kept - h;
      const Values below = point.value();
      x = kept;
      for (std::size_t o = 0; o < point.outputs; ++o) {
        const std::size_t at = b * point.outputs + o;
        block[at * count + t] = (above[at] - below[at]) / (2 * h);
      }
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::vector<Values> run_vjp(const Point& point, const Values& cotangents, std::uint32_t repeat,
                            Reduction reduction) {
  std::vector<Values> inputs = point.inputs;
  inputs.push_back(cotangents);
  return naive::evaluate(vjp(point.network, repeat, reduction), point.parameters, batch, inputs);
}

Blocks by_vjp(const Point& point) {
  Values one_hot(batch * point.outputs * point.outputs);
  for (std::size_t i = 0; i < batch * point.outputs; ++i)
    one_hot[i * point.outputs + i % point.outputs] = 1;
  return run_vjp(point, one_hot, static_cast<std::uint32_t>(point.outputs), Reduction::per_row);
}

Blocks by_jvp(const Point& point) {
  Blocks blocks;
  for (std::size_t w = 0; w < point.elements.size(); ++w) {
    const Network network = jvp(point.network, w);
    EXPECT_EQ(network.repeat(), point.elements[w]);
    const Values t = naive::evaluate(network, point.parameters, batch, point.inputs)[0];
    Values block(t.size());
    const std::size_t count = point.elements[w];
    for (std::size_t b = 0; b < batch; ++b)
      for (std::size_t o = 0; o < point.outputs; ++o)
        for (std::size_t i = 0; i < count; ++i)
          block[(b * point.outputs + o) * count + i] = t[(b * count + i) * point.outputs + o];
    blocks.push_back(std::move(block));
  }
  return blocks;
}

void expect_close(const Blocks& a, const Blocks& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t w = 0; w < a.size(); ++w) {
    ASSERT_EQ(a[w].size(), b[w].size()) << "argument " << w;
    for (std::size_t i = 0; i < a[w].size(); ++i)
      ASSERT_NEAR(a[w][i], b[w][i], tolerance * (1 + std::fabs(b[w][i])))
          << "argument " << w << ", element " << i;
  }
}

double largest(const Blocks& blocks) {
  double top = 0;
  for (const Values& block : blocks)
    for (const double v : block) top = std::max(top, std::fabs(v));
  return top;
}

class DerivativesOf : public testing::TestWithParam<examples::Example> {};

TEST_P(DerivativesOf, VjpOfOneHotCotangentsIsTheJacobianByDifferences) {
  const Point point(GetParam().network);
  const Blocks differences = by_differences(point);
  EXPECT_GT(largest(differences), 0.01);
  expect_close(by_vjp(point), differences, 1e-7);
}

TEST_P(DerivativesOf, JvpIsTheTransposedVjp) {
  const Point point(GetParam().network);
  expect_close(by_jvp(point), by_vjp(point), 1e-13);
}

TEST_P(DerivativesOf, BatchSumIsTheSumOfTheRows) {
  const Point point(GetParam().network);
  const Values v = random_values(batch * point.outputs, 99);
  const Blocks rows = run_vjp(point, v, 1, Reduction::per_row);
  const Blocks summed = run_vjp(point, v, 1, Reduction::batch_sum);
  Blocks expected = rows;
  for (std::size_t w = point.inputs.size(); w < rows.size(); ++w) {
    expected[w].assign(point.elements[w], 0.0);
    for (std::size_t i = 0; i < rows[w].size(); ++i)
      expected[w][i % point.elements[w]] += rows[w][i];
  }
  expect_close(summed, expected, 1e-13);
}

TEST_P(DerivativesOf, GradientsHaveTheShapeOfWhatTheyAreTheGradientOf) {
  const Network& n = GetParam().network;
  for (const Reduction reduction : {Reduction::per_row, Reduction::batch_sum}) {
    const Network g = vjp(n, 1, reduction);
    ASSERT_EQ(g.inputs().size(), n.inputs().size() + 1);
    ASSERT_EQ(g.parameters().size(), n.parameters().size());
    ASSERT_EQ(g.outputs().size(), n.inputs().size() + n.parameters().size());
    for (std::size_t i = 0; i < g.outputs().size(); ++i) {
      const bool input = i < n.inputs().size();
      const Node& of = n.node(input ? n.inputs()[i] : n.parameters()[i - n.inputs().size()]);
      const bool summed = !input && reduction == Reduction::batch_sum;
      EXPECT_EQ(g.node(g.outputs()[i]).shape, of.shape);
      EXPECT_EQ(g.node(g.outputs()[i]).axis, summed ? Axis::shared : Axis::repeated);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, DerivativesOf, testing::ValuesIn(examples::all()),
                         [](const auto& each) { return each.param.name; });

void expect_no_derivatives(const std::function<void()>& call, const std::string& message) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << message;
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(message));
  }
}

std::size_t count(const Network& network, Op op) {
  const auto is = [op](const Node& node) { return node.op == op; };
  return static_cast<std::size_t>(std::ranges::count_if(network.nodes(), is));
}

TEST(Derivatives, OfDerivativeNetworksAreRefused) {
  const Network g = vjp(examples::build::identity());
  expect_no_derivatives([&] { vjp(g); }, "vjp: repeated input");
  Network d;
  d.output(d.derivative(Op::tanh, d.input(2), 0));
  expect_no_derivatives([&] { vjp(d); },
                        "vjp: op derivative belongs to a derivative network; derivatives "
                        "are first order");
  expect_no_derivatives([&] { jvp(d, 0); }, "jvp: op derivative belongs to a derivative network");
}

TEST(Derivatives, OfOtherThanOneOutputAreRefused) {
  Network n;
  const NodeId x = n.input(2);
  expect_no_derivatives([&] { vjp(n); }, "vjp: the network has 0 outputs; one would fit");
  n.output(x);
  n.output(x);
  expect_no_derivatives([&] { jvp(n, 0); }, "jvp: the network has 2 outputs; one would fit");
  Network constant;
  constant.output(constant.parameter(1, 2));
  expect_no_derivatives([&] { vjp(constant); }, "vjp: the output is shared");
}

TEST(Derivatives, WithRespectToWhatTheOutputDoesNotDependOnAreRefused) {
  Network n;
  const NodeId x = n.input(2);
  n.parameter(1, 2);
  n.output(x);
  expect_no_derivatives([&] { vjp(n); }, "vjp: the output does not depend on parameter 0; prune");
  expect_no_derivatives([&] { jvp(n, 1); },
                        "jvp: the output does not depend on parameter 0; prune");
  expect_no_derivatives([&] { jvp(examples::build::mlp(), 7); }, "jvp: wrt is 7; below 7");
}

TEST(Derivatives, SumOnlyOneCotangentABatchRow) {
  expect_no_derivatives([] { vjp(examples::build::mlp(), 2, Reduction::batch_sum); },
                        "vjp: batch_sum with repeat 2; repeat 1 would fit");
}

TEST(Derivatives, MakeOneDerivativeNodeForEachActivationAndOperand) {
  EXPECT_EQ(count(vjp(examples::build::two_users()), Op::derivative), 1u);
  EXPECT_EQ(count(jvp(examples::build::two_users(), 0), Op::derivative), 1u);
  EXPECT_EQ(count(vjp(examples::build::mlp()), Op::derivative), 2u);
}

TEST(Derivatives, LeaveOutValuesThatNoGradientNeeds) {
  // The last of three layers is not evaluated for gradients, nor the first for tangents of the
  // last.
  EXPECT_EQ(count(vjp(examples::build::mlp()), Op::linear), 2u);
  EXPECT_EQ(count(jvp(examples::build::mlp(), 6), Op::linear), 0u);
}

TEST(Derivatives, KinkOperandsAreThoseOfKinkedDerivatives) {
  EXPECT_EQ(kink_operands(vjp(examples::build::mlp())).size(), 2u);
  EXPECT_THAT(kink_operands(vjp(examples::build::two_users())), testing::IsEmpty());
  Network n;
  const NodeId x = n.input(2);
  const NodeId a = n.activation(Op::elu, x);
  const NodeId b = n.activation(Op::leaky_relu, x);
  n.output(n.add(a, b));
  EXPECT_THAT(kink_operands(vjp(n)), testing::ElementsAre(x));
}

TEST(Derivatives, AreDefinedForEmptyWidths) {
  Network n;
  const NodeId h = examples::build::dense(n, n.input(0u), 2);
  const NodeId none = n.layer_norm(examples::build::project(n, h, 0));
  n.output(examples::build::project(n, none, 3));
  const Point point(n);
  const Blocks jacobian = by_vjp(point);
  expect_close(by_jvp(point), jacobian, 0);
  EXPECT_EQ(largest(jacobian), 0);
  EXPECT_EQ(jacobian[2].size(), batch * 3 * 2);
}

}  // namespace
}  // namespace ulpfuzz
