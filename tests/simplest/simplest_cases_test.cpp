#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "shrink/planted.hpp"
#include "shrink/skeletons.hpp"
#include "simplest/small_cases.hpp"
#include "ulpfuzz/shrink/shrink.hpp"
#include "ulpfuzz/subjects/registry.hpp"

/// What bench/shrink takes for the simplest failing case of each planted fault is that.
namespace ulpfuzz {

namespace bench {
void PrintTo(const Planted& p, std::ostream* os) { *os << p.name; }
}  // namespace bench

namespace {

using bench::Planted;

class SimplestCase : public testing::TestWithParam<Planted> {
 protected:
  const Planted& planted() const { return GetParam(); }
  const Subject& fault() const { return *faults_.find(planted().subject); }
  const Subject& honest() const { return *builtin_.find("loops"); }
  bool fails_alike(const Judge& judge, const Case& c) const {
    const Verdict verdict = judge(c);
    return verdict.failed() && verdict.failure == planted().failure;
  }

 private:
  Registry faults_ = planted_faults();
  Registry builtin_ = builtin_subjects();
};

TEST_P(SimplestCase, FailsWithTheClassAndNotOnAnHonestSubject) {
  const Shrunk least = bench::optimum(planted(), fault());
  EXPECT_NO_THROW(validate(least.value));
  EXPECT_EQ(least.verdict.failure, planted().failure);
  EXPECT_FALSE(bench::judge_of(planted(), honest())(least.value).failed());
}

TEST_P(SimplestCase, HasNoSmallerStructureAmongCasesOfThreeNodes) {
  constexpr std::uint32_t draws = 14;
  const Shrunk least = bench::optimum(planted(), fault());
  ASSERT_LE(least.value.network.nodes().size(), 3u);
  const Judge judge = bench::judge_of(planted(), fault());
  std::size_t tried = 0, found = 0;
  simplest::each_below(bench::structure(least.value), planted().property->needs_gradient,
                       [&](Case c) {
                         for (std::uint32_t i = 0; i < draws && found < 3; ++i) {
                           bench::draw_numbers(c, i);
                           ++tried;
                           if (!fails_alike(judge, c)) continue;
                           ADD_FAILURE() << describe(c) << " fails too";
                           ++found;
                           break;
                         }
                       });
  RecordProperty("tried", std::to_string(tried));
  EXPECT_TRUE(tried > 100 || bench::structure(least.value)[0] == 1) << tried;
}

/// With a bias of its own a layer has a node more than it needs.
TEST(CasesOfThreeNodes, HoldWhatIsSimplerThanACaseTakenForTheSimplest) {
  const auto planted = std::ranges::find(bench::planted(), "fused bias rounding", &Planted::name);
  ASSERT_NE(planted, bench::planted().end());
  const Registry faults = planted_faults();
  const Judge judge = bench::judge_of(*planted, *faults.find(planted->subject));
  std::size_t found = 0;
  const auto wrong = bench::structure(bench::skeletons::linear_with_bias(2, 1, 1));
  simplest::each_below(wrong, false, [&](Case c) {
    bench::draw_numbers(c, 0);
    found += judge(c).failed() ? 1 : 0;
  });
  EXPECT_GT(found, 0u);
}

TEST_P(SimplestCase, IsNotShrunkInItsStructure) {
  const Shrunk least = bench::optimum(planted(), fault());
  ShrinkOptions options;
  options.confirmation = planted().confirmation;
  const ShrinkResult r = shrink(least.value, bench::judge_of(planted(), fault()), options);
  EXPECT_EQ(r.stop, ShrinkStop::fixed_point);
  EXPECT_EQ(bench::structure(r.value), bench::structure(least.value)) << describe(r.value);
}

std::string word(std::string_view name) {
  std::string text;
  for (const char ch : name)
    if (std::isalnum(static_cast<unsigned char>(ch))) text += ch;
  return text;
}

INSTANTIATE_TEST_SUITE_P(All, SimplestCase,
                         testing::ValuesIn(bench::planted().begin(), bench::planted().end()),
                         [](const auto& p) { return word(p.param.name); });

}  // namespace

}  // namespace ulpfuzz
