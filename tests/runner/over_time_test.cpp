#include "over_time.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "trial_subjects.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::Scratch;
using testing::HasSubstr;

StatisticsLine line_at(double seconds, double share) {
  StatisticsLine line;
  line.seconds = seconds;
  line.cases = static_cast<std::uint64_t>(100 * seconds);
  line.share["p"]["sound"] = share;
  return line;
}

TEST(OverTime, OfALongCampaignStaysShortAndKeepsTotalsAndPeaks) {
  const Scratch scratch;
  OverTime all(scratch / "stats.jsonl", 1);
  constexpr int count = 6001;
  for (int i = 1; i <= count; ++i) all.add(line_at(i, i == 3456 ? 0.9 : 0.1));
  EXPECT_LE(all.lines().size(), 2000u);
  EXPECT_GE(all.lines().size(), 1000u);
  EXPECT_EQ(all.lines().back().seconds, count);
  EXPECT_TRUE(std::is_sorted(all.lines().begin(), all.lines().end(),
                             [](auto& a, auto& b) { return a.seconds < b.seconds; }));
  EXPECT_EQ(std::count_if(all.lines().begin(), all.lines().end(),
                          [](const auto& l) { return l.share.at("p").at("sound") == 0.9; }),
            1);
  const auto file = read_statistics(scratch / "stats.jsonl");
  ASSERT_EQ(file.size(), static_cast<std::size_t>(count));
  EXPECT_EQ(file[3455].share.at("p").at("sound"), 0.9);
}

TEST(OverTime, IsDueAfterTheInterval) {
  const Scratch scratch;
  OverTime all(scratch / "stats.jsonl", 10);
  EXPECT_FALSE(all.is_due(9.9));
  EXPECT_TRUE(all.is_due(10));
  all.add(line_at(12, 0));
  EXPECT_FALSE(all.is_due(21));
  EXPECT_TRUE(all.is_due(22));
}

TEST(OverTime, LeavesTheLineThatAKillCutUnread) {
  const Scratch scratch;
  { OverTime(scratch / "stats.jsonl", 1).add(line_at(1, 0.5)); }
  std::ofstream(scratch / "stats.jsonl", std::ios::app) << "{\"seconds\": 2, \"cas";
  EXPECT_EQ(read_statistics(scratch / "stats.jsonl").size(), 1u);
  std::ofstream(scratch / "stats.jsonl", std::ios::app) << "\n"
                                                        << statistics_json(line_at(3, 0)) << "\n";
  const auto lines = read_statistics(scratch / "stats.jsonl");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].cases, 300u);
  EXPECT_THROW(read_statistics(scratch / "nothing.jsonl"), FileError);
}

TEST(OverTime, OfACampaignIsInItsFolderWithTheLargestShareOfEachInterval) {
  const Scratch scratch;
  CampaignOptions o;
  o.seed = 4;
  o.seconds = 1;
  o.jobs = 2;
  o.out = scratch / "out";
  o.statistics_interval = 0.1;
  const CampaignResult r = run_campaign(o, mutants::staged("honest", [](auto&) {}));
  EXPECT_GE(r.over_time.size(), 4u);
  const auto file = read_statistics(o.out / "stats.jsonl");
  ASSERT_EQ(file.size(), r.over_time.size());
  std::map<std::string, double> largest;
  for (std::size_t i = 0; i < file.size(); ++i) {
    EXPECT_EQ(statistics_json(file[i]), statistics_json(r.over_time[i]));
    if (i > 0) {
      EXPECT_GE(file[i].cases, file[i - 1].cases);
    }
    for (const auto& [property, tiers] : file[i].share)
      for (const auto& [tier, share] : tiers)
        largest[property] = std::max(largest[property], share);
  }
  EXPECT_EQ(file.back().cases, r.cases);
  EXPECT_EQ(file.back().elements, r.elements);
  EXPECT_EQ(file.back().vacuous, r.verdicts.at("vacuous"));
  ASSERT_EQ(largest.size(), 2u);
  for (const auto& [property, share] : largest)
    EXPECT_EQ(share, r.share_max.at(property).at("honest"));
  EXPECT_EQ(file.front().cases, 0u);
  const auto differing = std::count_if(file.begin(), file.end(),
                                       [&](const auto& l) { return l.share != file.back().share; });
  EXPECT_GT(differing, 0) << "shares of the whole campaign, not of the interval";
}

/// So that charts know how fast it was.
TEST(OverTime, OfACampaignThatIsSoonOverHasALineOfItsBeginningAndOfItsEnd) {
  const Scratch scratch;
  CampaignOptions o;
  o.cases = 20;
  o.out = scratch / "out";
  o.limits.kind = generators::Limits::Kind::plain;
  const CampaignResult r = run_campaign(o, mutants::staged("honest", [](auto&) {}));
  ASSERT_EQ(r.over_time.size(), 2u);
  EXPECT_EQ(r.over_time[0].cases, 0u);
  EXPECT_EQ(r.over_time[1].cases, 20u);
  EXPECT_GT(r.over_time[1].seconds, r.over_time[0].seconds);
  for (const auto& [property, tiers] : r.over_time[0].share) EXPECT_TRUE(tiers.empty());
}

TEST(OverTime, ThatCannotBeWrittenIsOneErrorAndCostsNothingElse) {
  const Scratch scratch;
  CampaignOptions o;
  o.seed = 4;
  o.cases = 2000;
  o.out = scratch / "out";
  o.limits.kind = generators::Limits::Kind::plain;
  o.statistics_interval = 0.001;
  std::filesystem::create_directories(o.out / "stats.jsonl");  // in the way
  const CampaignResult r = run_campaign(o, mutants::staged("honest", [](auto&) {}));
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_THAT(r.errors.front(), HasSubstr("stats.jsonl: cannot be written"));
  EXPECT_EQ(r.cases, 2000u);
  EXPECT_EQ(r.exit_code(), 4);
  EXPECT_GE(r.over_time.size(), 2u);
  EXPECT_THAT(content(o.out / "summary.json"), HasSubstr("\"exit_code\": 4"));
}

}  // namespace
}  // namespace ulpfuzz
