#include <gtest/gtest.h>

#include <filesystem>

#include "soundness/judge.hpp"
#include "soundness/sharpness.hpp"
#include "soundness/state.hpp"
#include "ulpfuzz/core/arithmetic.hpp"

// A few cases of bench/soundness, with a fixed seed, and the proof that it can find something.
namespace ulpfuzz::bench {
namespace {

Findings judge_cases(std::uint64_t seed, std::uint64_t count, const Choice& choice) {
  Findings all;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Findings found = judge_trial(make_trial(seed, i, choice), seed ^ i);
    all.tally.add(found.tally);
    all.violations.insert(all.violations.end(), found.violations.begin(), found.violations.end());
  }
  return all;
}

TEST(Soundness, NoElementOfAnyTierIsBeyondItsBoundInAFewCasesOfEachArithmetic) {
  Tally tally;
  std::uint64_t seed = 20240229;
  for (const std::string& family : family_names()) {
    const Findings found = judge_cases(++seed, 6, {{family}, {}, 3});
    EXPECT_EQ(found.tally.total().violations, 0u)
        << family << ": " << (found.violations.empty() ? "" : found.violations.front().text);
    EXPECT_GT(found.tally.total().elements, 1'000u) << family;
    tally.add(found.tally);
  }
  EXPECT_EQ(tally.contradicted, 0u);
  EXPECT_LT(tally.reference_share, 1);
  EXPECT_GT(tally.reference_elements, 1'000u);
  EXPECT_GT(tally.total().worst_decided, 0.5);
  for (const std::string_view order : order_names) {
    const std::string name(order);
    EXPECT_GT(tally.by["order"][name].elements + tally.by["order"][name + "_fma"].elements, 1'000u)
        << order;
  }
  for (const char* tier : {"sound", "refined", "observed", "matrix_adjoint", "conditional"})
    EXPECT_GT(tally.by["tier"][tier].elements, 1'000u) << tier;
}

// A bound that no evaluation comes near to would be of no use.
TEST(Soundness, EachOpAloneComesWithinAFactorOfItsBound) {
  for (const auto& [op, count] : sharpness(1, 60)) {
    EXPECT_EQ(count.violations, 0u) << op;
    if (op == "relu" || op == "relu'" || op == "leaky_relu'") continue;  // exact
    EXPECT_GT(count.worst_decided, 0.1) << op;
  }
}

TEST(Soundness, FindsAnEvaluatorThatDoesNotKeepToItsArithmetic) {
  std::size_t found = 0;
  constexpr std::uint64_t cases = 30;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Trial trial = make_trial(7, i, {{"tf32_rna"}, {"normal"}, 3});
    trial.claimed = LayeredArithmetic{};
    const Findings f = judge_trial(trial, i);
    found += f.tally.total().violations > 0;
    EXPECT_EQ(f.tally.total().violations > 0, !f.violations.empty());
  }
  EXPECT_GT(found, cases / 2);
}

TEST(Soundness, ACaseIsTheSameEachTime) {
  const auto text = [](const Findings& f) { return nlohmann::json(f.tally).dump(); };
  const Findings once = judge_cases(3, 5, {{}, {}, 3}), again = judge_cases(3, 5, {{}, {}, 3});
  EXPECT_EQ(text(once), text(again));
  EXPECT_NE(text(once), text(judge_cases(4, 5, {{}, {}, 3})));
}

TEST(State, ComesBackFromItsFile) {
  State s;
  s.seed = 5;
  s.families = "fp32;";
  s.tally = judge_cases(5, 2, {{"fp32"}, {}, 3}).tally;
  for (const std::uint64_t done : {0u, 1u, 3u}) s.finish(done);
  const auto path = std::filesystem::temp_directory_path() / "ulpfuzz_soundness_test.state";
  ASSERT_TRUE(save(s, path.string()));
  const State back = load_state(path.string());
  std::filesystem::remove(path);
  EXPECT_EQ(nlohmann::json(back.tally).dump(), nlohmann::json(s.tally).dump());
  EXPECT_EQ(back.below, 2u);
  EXPECT_TRUE(back.done(3));
  EXPECT_FALSE(back.done(2));
  EXPECT_EQ(back.seed, 5u);
}

TEST(State, SaysWhichFileIsNoState) {
  const auto path = std::filesystem::temp_directory_path() / "ulpfuzz_soundness_test.none";
  ASSERT_TRUE(write_file(path.string(), {{"seed", 1}}));
  try {
    load_state(path.string());
    ADD_FAILURE();
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find(path.string()), std::string::npos);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace ulpfuzz::bench
