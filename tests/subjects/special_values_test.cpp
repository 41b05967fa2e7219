#include <array>
#include <cmath>
#include <limits>

#include "subjects/trials.hpp"

namespace ulpfuzz {
namespace {

using trials::Trial;
using limits = std::numeric_limits<float>;
constexpr float infinity = limits::infinity();
constexpr float nan = limits::quiet_NaN();

class SpecialValues : public testing::TestWithParam<const Subject*> {
 protected:
  /// The only output of a one-input network without parameters, all values in one batch row.
  std::vector<float> run(const Network& network, const std::vector<float>& x,
                         const Subject& subject = *GetParam()) {
    Trial trial(network, 1, 1);
    trial.inputs[0].data = x;
    return trial.run(subject)[0];
  }
};

Network of_one_op(Op op, bool derivative, std::size_t width) {
  Network n;
  const NodeId x = n.input(static_cast<std::uint32_t>(width));
  n.output(derivative ? n.derivative(op, x, 0.5f) : n.activation(op, x, 0.5f));
  return n;
}

const std::vector<Op>& activations() {
  static const std::vector<Op> list = {Op::relu,      Op::leaky_relu, Op::tanh,
                                       Op::sigmoid,   Op::silu,       Op::gelu_erf,
                                       Op::gelu_tanh, Op::softplus,   Op::elu};
  return list;
}

// Every activation and derivative, right to the formula-agnostic envelopes of docs/bounds.md at
// values over the whole range of fp32, at each place in and behind whole vectors.
TEST_P(SpecialValues, ActivationsHoldOverTheWholeRange) {
  std::vector<float> magnitudes = {
      0.0f,  limits::denorm_min(), 1e-40f, limits::min(), 1e-30f, 1e12f, 1e15f, 1e20f,
      1e30f, limits::max()};
  for (float v = 0x1p-20f; v < 0x1p10f; v *= 1.3f) magnitudes.push_back(v);
  std::vector<float> x;
  for (const float v : magnitudes) x.insert(x.end(), {v, -v});
  const Subject& reference = *trials::subjects().find("reference/fp64");
  for (const Op op : activations())
    for (const bool derivative : {false, true})
      for (std::size_t shift = 0; shift < 9; ++shift) {
        const std::vector<float> part(x.begin() + static_cast<std::ptrdiff_t>(shift), x.end());
        const Network network = of_one_op(op, derivative, part.size());
        const auto got = run(network, part);
        const auto expected = run(network, part, reference);
        for (std::size_t i = 0; i < part.size(); ++i) {
          const double size =
              derivative ? std::abs(part[i]) + 4.0 : std::max(1.0, std::abs(double{part[i]}));
          const double relative = std::abs(part[i]) < 1e-3 ? 64 * 0x1p-24 : 24 * 0x1p-24 * size;
          ASSERT_TRUE(std::isfinite(got[i])) << name(op) << " at " << part[i];
          ASSERT_NEAR(got[i], expected[i], relative)
              << name(op) << (derivative ? "' at " : " at ") << part[i];
        }
      }
}

TEST_P(SpecialValues, ActivationsPropagateNaN) {
  for (const Op op : activations())
    for (const bool derivative : {false, true})
      for (std::size_t at = 0; at < 19; ++at) {
        std::vector<float> x(19, 0.25f);
        x[at] = nan;
        const auto y = run(of_one_op(op, derivative, x.size()), x);
        for (std::size_t i = 0; i < y.size(); ++i)
          ASSERT_EQ(std::isnan(y[i]), i == at) << name(op) << derivative << " " << i << " " << at;
      }
}

TEST_P(SpecialValues, ActivationsHaveTheirLimitsAtInfinity) {
  const auto at = [&](Op op, float x) {
    const auto y = run(of_one_op(op, false, 11), std::vector<float>(11, x));
    for (const float v : y)
      EXPECT_TRUE(v == y[0] || (std::isnan(v) && std::isnan(y[0]))) << name(op);
    return y[0];
  };
  EXPECT_EQ(at(Op::relu, infinity), infinity);
  EXPECT_EQ(at(Op::relu, -infinity), 0.0f);
  EXPECT_EQ(at(Op::leaky_relu, -infinity), -infinity);
  EXPECT_EQ(at(Op::tanh, infinity), 1.0f);
  EXPECT_EQ(at(Op::tanh, -infinity), -1.0f);
  EXPECT_EQ(at(Op::sigmoid, infinity), 1.0f);
  EXPECT_EQ(at(Op::sigmoid, -infinity), 0.0f);
  EXPECT_EQ(at(Op::silu, infinity), infinity);
  EXPECT_EQ(at(Op::gelu_erf, infinity), infinity);
  EXPECT_EQ(at(Op::gelu_tanh, infinity), infinity);
  EXPECT_EQ(at(Op::softplus, infinity), infinity);
  EXPECT_EQ(at(Op::softplus, -infinity), 0.0f);
  EXPECT_EQ(at(Op::elu, infinity), infinity);
  EXPECT_EQ(at(Op::elu, -infinity), -0.5f);
}

TEST_P(SpecialValues, DerivativesAtAKinkAreThoseFromTheLeft) {
  const auto at = [&](Op op, float x) { return run(of_one_op(op, true, 1), {x})[0]; };
  for (const float zero : {0.0f, -0.0f}) {
    EXPECT_EQ(at(Op::relu, zero), 0.0f);
    EXPECT_EQ(at(Op::leaky_relu, zero), 0.5f);
    EXPECT_EQ(at(Op::elu, zero), 0.5f);
  }
  EXPECT_EQ(at(Op::relu, limits::denorm_min()), 1.0f);
  EXPECT_EQ(at(Op::relu, -limits::denorm_min()), 0.0f);
}

Network of_rows(Op op, std::size_t width) {
  Network n;
  const NodeId x = n.input(static_cast<std::uint32_t>(width));
  n.output(op == Op::softmax      ? n.softmax(x)
           : op == Op::layer_norm ? n.layer_norm(x)
                                  : n.rms_norm(x));
  return n;
}

TEST_P(SpecialValues, RowFunctionsSpreadNaNOverTheirRow) {
  for (const Op op : {Op::softmax, Op::layer_norm, Op::rms_norm})
    for (std::size_t at = 0; at < 13; ++at) {
      std::vector<float> x(13, 0.25f);
      x[at] = nan;
      for (const float v : run(of_rows(op, x.size()), x)) ASSERT_TRUE(std::isnan(v)) << name(op);
    }
}

TEST_P(SpecialValues, SoftmaxGivesMaskedLogitsExactlyNothing) {
  std::vector<float> x(13, 1.0f);
  x[2] = -infinity;
  x[12] = -300.0f;
  const auto y = run(of_rows(Op::softmax, x.size()), x);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (i == 2 || i == 12)
      EXPECT_EQ(y[i], 0.0f);
    else
      EXPECT_NEAR(y[i], 1.0 / 11, 1e-7);
  }
}

TEST_P(SpecialValues, SoftmaxIsShiftedSoThatLargeLogitsDoNotOverflow) {
  const auto y = run(of_rows(Op::softmax, 3), {1e30f, 1e30f, -1e30f});
  EXPECT_EQ(y, (std::vector<float>{0.5f, 0.5f, 0.0f}));
}

TEST_P(SpecialValues, NormsOfConstantRowsAreZeroOrOne) {
  for (const float v : run(of_rows(Op::layer_norm, 8), std::vector<float>(8, 3.0f)))
    EXPECT_EQ(v, 0.0f);
  for (const float v : run(of_rows(Op::rms_norm, 8), std::vector<float>(8, -3.0f)))
    EXPECT_NEAR(v, -1.0f, 2e-6);
}

TEST_P(SpecialValues, ProductsPropagateInfinityAndNaN) {
  Network n;
  n.output(examples::build::dense(n, n.input(5), 9));
  for (const std::size_t batch : {1, 3, 8}) {
    Trial trial(n, batch, 2);
    for (float& w : trial.parameters[0].data) w = 1.0f;
    trial.inputs[0].data[0] = infinity;
    trial.inputs[0].data[(batch - 1) * 5 + 4] = batch == 1 ? -infinity : nan;
    const auto y = trial.run(*GetParam())[0];
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t row = i / 9;
      if (row == batch - 1)
        EXPECT_TRUE(std::isnan(y[i]));
      else if (row == 0)
        EXPECT_EQ(y[i], infinity);
      else
        EXPECT_TRUE(std::isfinite(y[i]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EverySubject, SpecialValues, testing::ValuesIn(trials::available()),
                         trials::subject_name);

}  // namespace
}  // namespace ulpfuzz
