#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "naming/plant.hpp"
#include "naming/trial.hpp"
#include "ulpfuzz/diagnosis/hypothesis.hpp"

// A small part of bench/naming.
namespace ulpfuzz::diagnosis {
namespace {

using bench::naming_trial;
using bench::Outcome;
using bench::Shown;

class EveryClass : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Hypothesis& hypothesis() const { return hypotheses()[GetParam()]; }
  int right(Shown shown, int networks) const {
    int n = 0;
    for (int i = 0; i < networks; ++i) {
      const auto seed = (std::uint64_t{77} << 40) + (GetParam() << 32) + static_cast<unsigned>(i);
      const Outcome o = naming_trial(seed, hypothesis(), shown);
      EXPECT_TRUE(o.right) << "seed " << seed << " " << o.fault;
      n += o.right;
      changed_ += !o.unchanged;
    }
    return n;
  }
  mutable int changed_ = 0;
};

TEST_P(EveryClass, IsNamedFromBothResults) {
  EXPECT_EQ(right(Shown::both, 16), 16);
  if (hypothesis().name != "fp32") {
    EXPECT_GT(changed_, 3);
  }
}

TEST_P(EveryClass, IsNamedFromTheDifferenceAlone) { EXPECT_EQ(right(Shown::difference, 6), 6); }

std::string test_name(const ::testing::TestParamInfo<std::size_t>& info) {
  std::string name = hypotheses()[info.param].name;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Naming, EveryClass, ::testing::Range(std::size_t{0}, hypotheses().size()),
                         test_name);

TEST(Naming, OfAnUnknownOrderTheConversionsAreNamed) {
  int right = 0, total = 0;
  for (std::size_t h = 0; h < hypotheses().size(); ++h) {
    const Arithmetic& a = hypotheses()[h].arithmetic;
    const bool converts = a.operand != Format::fp32 && a.accumulate == Format::fp32;
    if (!converts || a.unit.block != 0) continue;
    for (unsigned i = 0; i < 8; ++i, ++total)
      right += naming_trial((h << 32) + i, hypotheses()[h], Shown::unknown_order).right;
  }
  ASSERT_GE(total, 40);
  EXPECT_GE(right, total * 8 / 10);
}

TEST(Naming, OfFaultsThatAreNoArithmeticToo) {
  for (const std::string_view name : bench::plantable()) {
    if (name == "wrong mask") continue;  // of outputs it makes nothing
    for (unsigned i = 0; i < 4; ++i) {
      const Outcome o = bench::planted_trial(i, name);
      EXPECT_TRUE(o.right) << name << ": " << o.fault;
    }
  }
}

TEST(Hypotheses, HaveNamesOfTheirOwnAndARemedy) {
  std::set<std::string> names;
  for (const Hypothesis& h : hypotheses()) {
    EXPECT_TRUE(names.insert(h.name).second) << h.name;
    EXPECT_FALSE(h.words.empty() || h.remedy.empty()) << h.name;
  }
  EXPECT_EQ(hypotheses().front().name, "fp32");
  EXPECT_GE(names.size(), 28u);
}

TEST(Hypotheses, ComputeNoTwoAlike) {
  const auto all = hypotheses();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const bool functions = all[i].fast_exp == all[j].fast_exp &&
                             all[i].fast_tanh == all[j].fast_tanh &&
                             all[i].other_gelu == all[j].other_gelu;
      EXPECT_FALSE(functions && all[i].arithmetic == all[j].arithmetic)
          << all[i].name << ", " << all[j].name;
    }
}

}  // namespace
}  // namespace ulpfuzz::diagnosis
