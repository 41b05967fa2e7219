#include <functional>

#include "row_runs.hpp"
#include "ulpfuzz/kernels/activation.hpp"
#include "ulpfuzz/kernels/activation_derivative.hpp"
#include "ulpfuzz/kernels/fast_functions.hpp"

namespace ulpfuzz::kernels {
namespace {

constexpr float alpha = 0.3f;
constexpr std::size_t counts[] = {0, 1, 31, 255, 256, 257, 1000};

struct Function1 {
  Phi phi;
  std::function<float(float)> value, derivative;
};

std::vector<Function1> functions() {
  const auto of = [](auto f) { return [f](float x) { return apply(f, x); }; };
  return {
      {Phi::identity, [](float x) { return x; }, [](float x) { return std::isnan(x) ? x : 1.0f; }},
      {Phi::relu, of(Relu{}), of(ReluDerivative{})},
      {Phi::leaky_relu, of(LeakyRelu{alpha}), of(LeakyReluDerivative{alpha})},
      {Phi::tanh, of(Tanh{}), of(TanhDerivative{})},
      {Phi::sigmoid, of(Sigmoid{}), of(SigmoidDerivative{})},
      {Phi::silu, of(Silu{}), of(SiluDerivative{})},
      {Phi::gelu_erf, of(GeluErf{}), of(GeluErfDerivative{})},
      {Phi::gelu_tanh, of(GeluTanh{}), of(GeluTanhDerivative{})},
      {Phi::softplus, of(Softplus{}), of(SoftplusDerivative{})},
      {Phi::elu, of(Elu{alpha}), of(EluDerivative{alpha})}};
}

float fast_sigmoid(float x) {
  const float e = fast_exp(-std::fabs(x));
  return (x < 0 ? e : 1.0f) / (1.0f + e);
}

// Those that use exp or tanh, written out with the fast ones; the others as they are.
std::vector<Function1> fast_functions() {
  std::vector<Function1> all = functions();
  const auto t = [](float x) { return fast_tanh(x); };
  const auto e = [](float x) { return fast_exp(x); };
  const auto inner = [](float x) {
    return fast_tanh(Constants<float>::sqrt_two_over_pi * (x + 0.044715f * (x * x * x)));
  };
  const auto set = [&](Phi phi, auto value, auto derivative) {
    all[static_cast<std::size_t>(phi)] = {phi, value, derivative};
  };
  set(Phi::tanh, t, [=](float x) { return 1.0f - t(x) * t(x); });
  set(Phi::sigmoid, fast_sigmoid,
      [](float x) { return fast_sigmoid(x) * (1.0f - fast_sigmoid(x)); });
  set(
      Phi::silu, [](float x) { return x * fast_sigmoid(x); },
      [](float x) { return fast_sigmoid(x) * (1.0f + x * (1.0f - fast_sigmoid(x))); });
  set(Phi::gelu_erf, all[static_cast<std::size_t>(Phi::gelu_erf)].value, [=](float x) {
    return 0.5f * (1.0f + std::erf(x * Constants<float>::sqrt_half)) +
           x * (e(-0.5f * x * x) * Constants<float>::inv_sqrt_two_pi);
  });
  set(
      Phi::gelu_tanh, [=](float x) { return 0.5f * x * (1.0f + inner(x)); },
      [=](float x) {
        const float f = inner(x), slope = 1.0f - f * f;
        if (slope == 0) return 0.5f * (1.0f + f);
        return 0.5f * (1.0f + f) + 0.5f * x * slope *
                                       (Constants<float>::sqrt_two_over_pi *
                                        (1.0f + 3.0f * Constants<float>::gelu_cubic * (x * x)));
      });
  set(
      Phi::softplus, [=](float x) { return (x < 0 ? 0.0f : x) + std::log1p(e(-std::fabs(x))); },
      fast_sigmoid);
  set(Phi::elu, all[static_cast<std::size_t>(Phi::elu)].value,
      [=](float x) { return x > 0 ? 1.0f : alpha * e(x); });
  return all;
}

void expect_functions(const std::vector<Function1>& all, bool fast) {
  std::mt19937 random(1);
  for (const std::size_t count : counts) {
    const Floats x = draw(Values::special, count, random);
    for (const Function1& f : all)
      for (const bool derivative : {false, true}) {
        Floats expected;
        for (const float v : x) expected.push_back(derivative ? f.derivative(v) : f.value(v));
        const Map map{.kind = derivative ? Map::Kind::derivative : Map::Kind::activation,
                      .phi = f.phi,
                      .alpha = alpha,
                      .fast = fast,
                      .x = x.data(),
                      .count = count,
                      .y = nullptr};
        ASSERT_NO_FATAL_FAILURE(expect_result(
            map, expected,
            std::to_string(static_cast<int>(f.phi)) + (derivative ? " derivative" : "")));
      }
  }
}

TEST(Map, AppliesActivationsAndTheirDerivatives) { expect_functions(functions(), false); }

TEST(Map, UsesFastExpAndTanhWhereAskedTo) { expect_functions(fast_functions(), true); }

TEST(Map, AddsAndMultiplies) {
  std::mt19937 random(2);
  for (const std::size_t count : counts) {
    const Floats x = draw(Values::special, count, random), z = draw(Values::special, count, random);
    Floats sums, products;
    for (std::size_t i = 0; i < count; ++i) {
      sums.push_back(x[i] + z[i]);
      products.push_back(x[i] * z[i]);
    }
    Map map{.kind = Map::Kind::add, .x = x.data(), .z = z.data(), .count = count, .y = nullptr};
    ASSERT_NO_FATAL_FAILURE(expect_result(map, sums, "add"));
    map.kind = Map::Kind::multiply;
    ASSERT_NO_FATAL_FAILURE(expect_result(map, products, "multiply"));
  }
}

TEST(Map, WorksInPlace) {
  std::mt19937 random(3);
  for (const std::size_t count : counts) {
    const Floats x = draw(Values::moderate, count, random);
    Floats y = x, expected;
    for (const float v : x) expected.push_back(v + v);
    const auto device = make_host_device();
    device->launch(
        Map{.kind = Map::Kind::add, .x = y.data(), .z = y.data(), .count = count, .y = y.data()},
        nullptr);
    ASSERT_NO_FATAL_FAILURE(expect_bits(y, expected, "x + x"));
  }
}

TEST(Map, FillsWithAllBitsOfANumber) {
  for (const std::uint32_t bits : {0u, 0x80000000u, 0x3f800000u, 0x7fc5a5a5u, 0x7f812345u})
    for (const std::size_t count : counts) {
      std::vector<float> y(count);
      const auto device = make_host_device();
      device->launch(Map{.kind = Map::Kind::fill, .bits = bits, .count = count, .y = y.data()},
                     nullptr);
      for (const float v : y) ASSERT_EQ(bits_of(v), bits);
    }
}

}  // namespace
}  // namespace ulpfuzz::kernels
