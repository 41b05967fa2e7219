#include "subjects/trials.hpp"

namespace ulpfuzz {
namespace {

using trials::Trial;

class EverySubject : public testing::TestWithParam<const Subject*> {};

// Values of the examples are of size 1 and their sums short: a wrong term shows at 1e-2, rounding
// stays below 1e-5, with TF32 operands at some 2^-11 a product. The references round once, at the
// end.
double tolerance(const Subject& subject, double expected) {
  if (subject.arithmetic().operand == Format::tf32) return 1e-2 * (1.0 + std::abs(expected));
  if (subject.arithmetic().accumulate == Format::fp64)
    return 0x1.001p-24 * std::abs(expected) + 1e-13;
  return 1e-5 * (1.0 + std::abs(expected));
}

std::size_t compare(const Subject& subject, const Trial& trial, const std::string& what) {
  const auto expected = trial.expected();
  const auto got = trial.run(subject);
  EXPECT_EQ(got.size(), expected.size()) << what;
  std::size_t compared = 0;
  for (std::size_t o = 0; o < got.size(); ++o) {
    EXPECT_EQ(got[o].size(), expected[o].size()) << what << " output " << o;
    for (std::size_t i = 0; i < got[o].size(); ++i, ++compared) {
      const double e = expected[o][i];
      EXPECT_NEAR(got[o][i], e, tolerance(subject, e))
          << what << " output " << o << " [" << i << "]";
      if (testing::Test::HasFailure()) return compared;
    }
  }
  return compared;
}

TEST_P(EverySubject, ComputesEveryOpForwardAndBackward) {
  std::size_t compared = 0;
  for (const examples::Example& example : examples::all()) {
    unsigned seed = 1;
    for (const Network& network : trials::with_derivatives(example.network)) {
      for (const std::size_t batch : {0, 1, 2, 3, 5, 9}) {
        const Trial trial(network, batch, seed++);
        compared +=
            compare(*GetParam(), trial,
                    example.name + ": " + describe(network) + " batch " + std::to_string(batch));
        ASSERT_FALSE(HasFailure());
      }
    }
  }
  EXPECT_GT(compared, 100000u);
}

TEST_P(EverySubject, SumsOverNothingAreTheBiasOrZero) {
  Network n;
  const NodeId x = n.input(0);
  n.output(examples::build::dense(n, x, 3));
  n.output(examples::build::project(n, x, 2));
  n.output(n.matmul(n.input(Shape{2, 0}), n.parameter(0, 2)));
  for (const std::size_t batch : {1, 4}) {
    const Trial trial(n, batch, 3);
    const auto got = trial.run(*GetParam());
    for (std::size_t i = 0; i < batch * 3; ++i)
      EXPECT_EQ(got[0][i], trial.parameters[1].data[i % 3]);
    EXPECT_EQ(got[1], std::vector<float>(batch * 2, 0.0f));
    EXPECT_EQ(got[2], std::vector<float>(batch * 4, 0.0f));
  }
}

TEST_P(EverySubject, EvaluatesNetworksOfNoWidth) {
  std::size_t compared = 0;
  for (const std::vector<std::uint32_t>& widths :
       {std::vector<std::uint32_t>{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {0, 0}}) {
    for (const Network& network : trials::with_derivatives(trials::mlp(widths, Op::softplus)))
      for (const std::size_t batch : {0, 1, 3}) {
        compared += compare(*GetParam(), Trial(network, batch, 5), describe(network));
        ASSERT_FALSE(HasFailure());
      }
  }
  EXPECT_GT(compared, 100u);
}

TEST_P(EverySubject, AgreesOnWidthsAroundVectorLengths) {
  std::size_t compared = 0;
  for (std::uint32_t k : {1u, 2u, 3u, 4u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u, 64u, 65u})
    for (std::uint32_t n : {1u, 2u, 3u, 5u, 7u, 8u, 9u, 16u, 24u, 33u})
      for (const std::size_t batch : {1, 2, 3, 4, 5, 8, 33})
        compared += compare(
            *GetParam(), Trial(trials::mlp({k, n}, Op::relu), batch, k * 64 + n),
            std::to_string(k) + " to " + std::to_string(n) + " batch " + std::to_string(batch));
  EXPECT_GT(compared, 80000u);
}

INSTANTIATE_TEST_SUITE_P(Agreement, EverySubject, testing::ValuesIn(trials::available()),
                         trials::subject_name);

}  // namespace
}  // namespace ulpfuzz
