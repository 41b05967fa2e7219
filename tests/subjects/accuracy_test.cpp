#include <cmath>

#include "subjects/trials.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz {
namespace {

constexpr double u = unit_roundoff_fp32;

/// What a subject claims of its elementary functions, against the exact values.
class Accuracy : public testing::TestWithParam<const Subject*> {
 protected:
  const ElementaryAccuracy claim = GetParam()->arithmetic().elementary;

  std::vector<float> values(Op op, bool derivative, float alpha, const std::vector<float>& x) {
    Network n;
    const NodeId in = n.input(1);
    n.output(derivative ? n.derivative(op, in, alpha) : n.activation(op, in, alpha));
    trials::Trial trial(n, x.size(), 1);
    trial.inputs[0].data = x;
    return trial.run(*GetParam())[0];
  }

  template <class Bound>
  void expect_within(Op op, bool derivative, const std::vector<float>& x, const Bound& bound) {
    constexpr float alpha = 1.0f;
    const auto y = values(op, derivative, alpha, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact =
          derivative ? naive::derivative(op, alpha, x[i]) : naive::activation(op, alpha, x[i]);
      ASSERT_LE(std::abs(y[i] - exact), bound(x[i], exact))
          << name(op) << (derivative ? "' at " : " at ") << x[i];
    }
  }
};

std::vector<float> even(float from, float to, int count) {
  std::vector<float> x;
  for (int i = 0; i <= count; ++i)
    x.push_back(from + (to - from) * static_cast<float>(i) / static_cast<float>(count));
  return x;
}

// Logarithmic, both signs; ten thousand values.
std::vector<float> all_scales() {
  std::vector<float> x;
  for (double v = 0x1p-24; v < 80; v *= 1.005) x.insert(x.end(), {float(v), float(-v)});
  return x;
}

double in_ulps(double exact) { return ulp(exact, Format::fp32); }

// The intervals hold the worst values of the libraries in use.
TEST_P(Accuracy, TanhAndExpKeepTheirClaimInUlps) {
  const auto tanh = [&](double, double exact) { return claim.tanh * in_ulps(exact); };
  const auto exp = [&](double, double exact) { return claim.exp * in_ulps(exact); };
  for (const auto& x : {even(-6.5f, -5.0f, 100000), even(5.0f, 6.5f, 100000),
                        even(-3.0f, 3.0f, 100000), all_scales()})
    expect_within(Op::tanh, false, x, tanh);
  for (const auto& x : {even(-17.5f, -16.5f, 100000), even(-87.0f, 0.0f, 200000)})
    expect_within(Op::elu, true, x, exp);
}

TEST_P(Accuracy, ActivationsStayInTheirEnvelopes) {
  const auto& k = claim;
  const auto sigmoid = [&](double, double s) {
    return u * std::max((2 * k.exp * (1 - s) + 2) * s, k.tanh + 1);
  };
  for (const auto& x : {even(-20.0f, 20.0f, 100000), all_scales()}) {
    expect_within(Op::sigmoid, false, x, sigmoid);
    expect_within(Op::silu, false, x, [&](double v, double) {
      return u * std::abs(v) * (std::max(2 * k.exp + 3, k.tanh) + 2);
    });
    expect_within(Op::gelu_erf, false, x,
                  [&](double v, double) { return u * std::abs(v) * (k.erf + 3.5); });
    expect_within(Op::gelu_tanh, false, x,
                  [&](double v, double) { return u * std::abs(v) * (k.tanh + 4.1); });
    expect_within(Op::softplus, false, x, [&](double v, double phi) {
      const double s = 1 / (1 + std::exp(-v));
      return u * (2 * k.exp * s + 2 * k.log1p * phi) + u * (phi + 1);
    });
    expect_within(Op::elu, false, x, [&](double, double) { return u * (2 * k.exp + 1); });
  }
}

TEST_P(Accuracy, DerivativesStayInTheirEnvelopes) {
  const auto& k = claim;
  const auto sigmoid = [&](double s) {
    return u * std::max((2 * k.exp * (1 - s) + 2) * s, k.tanh + 1);
  };
  for (const auto& x : {even(-20.0f, 20.0f, 100000), all_scales()}) {
    expect_within(Op::tanh, true, x, [&](double v, double) {
      const double t = std::abs(std::tanh(v));
      const double e = u * std::max(2 * k.tanh * t, k.exp + 5);
      return 2 * t * e + e * e + u;
    });
    expect_within(Op::sigmoid, true, x,
                  [&](double v, double) { return sigmoid(1 / (1 + std::exp(-v))) + 2 * u; });
    expect_within(Op::silu, true, x, [&](double v, double) {
      return u * (std::abs(v) + 4) + (1 + std::abs(v)) * sigmoid(1 / (1 + std::exp(-v)));
    });
    expect_within(Op::gelu_erf, true, x,
                  [&](double, double) { return u * (k.erf + k.exp / 2 + 4); });
    expect_within(Op::softplus, true, x,
                  [&](double v, double) { return sigmoid(1 / (1 + std::exp(-v))); });
  }
}

std::vector<const Subject*> in_single_precision() {
  std::vector<const Subject*> list = trials::available();
  std::erase_if(list, [](const Subject* s) { return s->arithmetic().accumulate != Format::fp32; });
  return list;
}

INSTANTIATE_TEST_SUITE_P(EverySubject, Accuracy, testing::ValuesIn(in_single_precision()),
                         trials::subject_name);

}  // namespace
}  // namespace ulpfuzz
