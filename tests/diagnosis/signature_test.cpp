#include "signature.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "evidence_support.hpp"
#include "naming/plant.hpp"

namespace ulpfuzz::diagnosis {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<float> planted(const Scenario& s, std::string_view name, Quantity quantity,
                           std::uint64_t seed) {
  const float* inputs[] = {s.x.data()};
  const auto honest = evaluate(s, quantity, lanes_fused);
  return bench::plant(name, s.network, s.parameters, inputs, s.rows, quantity, honest, seed);
}

struct Rate {
  int total = 0, right = 0, alone = 0, side = 0;
};

/// Over random networks: how often the class is named, and that of the wrong side.
Rate rate_of(std::string_view name, Quantity quantity, std::uint64_t networks) {
  Rate rate;
  for (std::uint64_t seed = 0; seed < networks; ++seed) {
    Scenario s = draw(seed, seed % 3 == 0 ? Op::tanh : Op::relu);
    const auto bad = planted(s, name, quantity, seed);
    if (bad.empty()) continue;
    const auto good = evaluate(s, quantity, pairwise);
    const Explanation e = explain(s.evidence(quantity, good, bad));
    ++rate.total;
    const auto match = std::find_if(e.matches.begin(), e.matches.end(),
                                    [&](const Match& m) { return m.hypothesis == name; });
    if (match == e.matches.end()) continue;
    ++rate.right;
    rate.alone += e.matches.size() == 1;
    rate.side += match->a == std::vector<std::string>{"fp32"} && e.wrong_side == "b";
  }
  return rate;
}

class Planted : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Planted, IsNamedInOutputs) {
  const Rate rate = rate_of(GetParam(), Quantity::outputs, 40);
  if (GetParam() == "wrong mask") {
    EXPECT_EQ(rate.total, 0);
    return;
  }
  EXPECT_GE(rate.total, 35);
  EXPECT_GE(rate.right, rate.total - 1);
  EXPECT_GE(rate.alone, rate.right - 4);
  EXPECT_EQ(rate.side, rate.right);
}

TEST_P(Planted, IsNamedInJacobians) {
  const Rate rate = rate_of(GetParam(), Quantity::parameter_jacobian, 24);
  EXPECT_GE(rate.total, 14);
  EXPECT_GE(rate.right, rate.total - 1);
  EXPECT_GE(rate.alone, rate.right - 5);
  EXPECT_EQ(rate.side, rate.right);
}

INSTANTIATE_TEST_SUITE_P(Classes, Planted, ::testing::ValuesIn(bench::plantable()),
                         [](const auto& planted_class) {
                           std::string name(planted_class.param);
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST(Signature, EveryPlantableClassHasWordsAndARemedy) {
  EXPECT_EQ(bench::plantable().size(), signatures().size());
  for (const std::string_view name : bench::plantable()) {
    ASSERT_NE(signature(name), nullptr) << name;
    EXPECT_FALSE(signature(name)->words.empty());
    EXPECT_FALSE(signature(name)->remedy.empty());
  }
  EXPECT_EQ(signature("fp32"), nullptr);
}

TEST(Signature, SideIsTheOneThatTheReferenceContradicts) {
  Scenario s = draw(4, Op::tanh);
  const auto good = evaluate(s, Quantity::outputs, pairwise);
  const auto bad = planted(s, "doubled", Quantity::outputs, 1);
  const Explanation e = explain(s.evidence(Quantity::outputs, bad, good));
  ASSERT_EQ(names_of(e), std::vector<std::string>{"doubled"});
  EXPECT_THAT(e.matches.front().a, ElementsAre("doubled"));
  EXPECT_THAT(e.matches.front().b, ElementsAre("fp32"));
  EXPECT_EQ(e.wrong_side, "a");
}

/// a - b = y is 2y - y as well as y - 0.
TEST(Signature, OfADifferenceBothReadingsAreGiven) {
  Scenario s = draw(4, Op::tanh);
  const auto good = evaluate(s, Quantity::outputs, pairwise);
  std::vector<double> difference;
  for (const float y : good) difference.push_back(y);
  const auto names = names_of(explain(s.apart(Quantity::outputs, difference)));
  EXPECT_THAT(names, Contains("doubled"));
  EXPECT_THAT(names, Contains("zero"));
}

TEST(Signature, BatchOfTwoMakesDoubledAndTimesBatchTheSame) {
  Scenario s = draw(5, Op::tanh);
  s.rows = 2;
  s.x.resize(s.x.size() / 3);
  const auto good = evaluate(s, Quantity::outputs, pairwise);
  std::vector<float> bad = good;
  for (float& y : bad) y *= 2;
  const auto names = names_of(explain(s.evidence(Quantity::outputs, good, bad)));
  EXPECT_THAT(names, Contains("doubled"));
  EXPECT_THAT(names, Contains("times batch"));
}

TEST(Signature, RowModNSaysWhichN) {
  Scenario s = draw(6, Op::tanh);
  const auto good = evaluate(s, Quantity::outputs, pairwise);
  const std::size_t width = good.size() / s.rows;
  std::vector<float> bad = good;
  for (std::size_t i = 4 * width; i < bad.size(); ++i) bad[i] = good[i - 4 * width];
  const Explanation e = explain(s.evidence(Quantity::outputs, good, bad));
  EXPECT_EQ(names_of(e), std::vector<std::string>{"row mod n"});
}

/// A slip that no signature predicts is not named after one.
TEST(Signature, NoiseIsNotNamed) {
  Scenario s = draw(7, Op::tanh);
  const auto good = evaluate(s, Quantity::outputs, pairwise);
  std::vector<float> bad = good;
  for (std::size_t i = 0; i < bad.size(); i += 2)
    bad[i] *= 1.03f + 0.01f * static_cast<float>(i % 7);
  const Explanation e = explain(s.evidence(Quantity::outputs, good, bad));
  EXPECT_EQ(e.conclusion, Conclusion::other_cause);
  for (const Match& m : e.matches) EXPECT_EQ(signature(m.hypothesis), nullptr) << m.hypothesis;
}

}  // namespace
}  // namespace ulpfuzz::diagnosis
