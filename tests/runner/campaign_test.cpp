#include "ulpfuzz/runner/campaign.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "trial_subjects.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/replay.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::DropsLast;
using mutants::only;
using mutants::Scratch;
using mutants::staged;
using nlohmann::json;
using testing::HasSubstr;

CampaignOptions small(const Scratch& scratch, std::uint64_t cases) {
  CampaignOptions o;
  o.properties = {"batched_vs_sliced"};
  o.seed = 11;
  o.cases = cases;
  o.out = scratch / "out";
  o.limits.kind = generators::Limits::Kind::plain;
  o.shrink_evaluations = 400;
  return o;
}

std::uint64_t judged(const CampaignResult& r) {
  std::uint64_t n = 0;
  for (const auto& [word, count] : r.verdicts) n += count;
  return n;
}

TEST(Campaign, CountsEveryCaseOnceAndPassesAnHonestSubject) {
  const Scratch scratch;
  const CampaignResult r = run_campaign(small(scratch, 60), staged("honest", [](auto&) {}));
  EXPECT_EQ(r.exit_code(), 0) << content(scratch / "out/summary.txt");
  EXPECT_EQ(r.cases, 60);
  EXPECT_EQ(judged(r), 60);
  EXPECT_GT(r.verdicts.at("pass"), 50);
  EXPECT_GT(r.elements, 1000);
  EXPECT_TRUE(r.buckets.empty());
  EXPECT_GT(r.time.at("evaluate"), 0);
  EXPECT_LE(r.share_max.at("batched_vs_sliced").at("honest"), 1);
}

TEST(Campaign, FailFastEndsWithTheCaseThatFails) {
  const Scratch scratch;
  CampaignOptions o = small(scratch, 10000);
  o.fail_fast = true;
  o.jobs = 1;
  const Registry subjects = only(std::make_unique<DropsLast>());
  const CampaignResult first = run_campaign(o, subjects);
  EXPECT_EQ(first.exit_code(), 1);
  EXPECT_EQ(first.verdicts.at("fail"), 1);
  EXPECT_LT(first.cases, 1000);
  for (const char* again : {"second", "third", "fourth"}) {
    o.out = scratch / again;
    EXPECT_EQ(run_campaign(o, subjects).cases, first.cases);
  }
}

TEST(Campaign, WritesASummaryWithEveryPromisedField) {
  const Scratch scratch;
  run_campaign(small(scratch, 20), staged("honest", [](auto&) {}));
  const json j = json::parse(content(scratch / "out/summary.json"));
  for (const char* key : {"schema",           "cases",       "elements",         "seconds",
                          "cases_per_second", "verdicts",    "buckets",          "time",
                          "share_max",        "pairs",       "elements_by_tier", "vacuous_reasons",
                          "skip_reasons",     "unavailable", "environment",      "seed",
                          "options",          "interrupted", "running",          "errors",
                          "exit_code"})
    EXPECT_TRUE(j.contains(key)) << key;
  for (const char* key : {"pass", "fail", "vacuous", "skip"})
    EXPECT_TRUE(j["verdicts"].contains(key));
  for (const char* key : {"generate", "evaluate", "bound", "other"})
    EXPECT_TRUE(j["time"].contains(key));
  for (const char* key : {"ulpfuzz", "compiler", "cpu", "isa", "os", "libc", "fp_environment"})
    EXPECT_TRUE(j["environment"].contains(key)) << key;
  EXPECT_EQ(j["cases"], 20);
  EXPECT_EQ(j["exit_code"], 0);
  EXPECT_EQ(j["interrupted"], false);
  EXPECT_EQ(j["seed"], 11);
  EXPECT_THAT(content(scratch / "out/summary.txt"), HasSubstr("20 cases"));
}

TEST(Campaign, DoesTheSameWithTwoWorkersAsWithOne) {
  std::vector<CampaignResult> results;
  for (const unsigned jobs : {1U, 2U}) {
    const Scratch scratch;
    CampaignOptions o = small(scratch, 101);
    o.jobs = jobs;
    o.shrink_evaluations = 0;
    results.push_back(run_campaign(o, only(std::make_unique<DropsLast>())));
  }
  EXPECT_EQ(results[0].verdicts, results[1].verdicts);
  EXPECT_GT(results[0].verdicts.at("fail"), 0);
  EXPECT_EQ(results[0].elements, results[1].elements);
  EXPECT_EQ(results[0].elements_by_tier, results[1].elements_by_tier);
  EXPECT_EQ(results[0].share_max, results[1].share_max);
  ASSERT_EQ(results[0].buckets.size(), results[1].buckets.size());
  for (std::size_t i = 0; i < results[0].buckets.size(); ++i)
    EXPECT_EQ(results[0].buckets[i].count, results[1].buckets[i].count);
}

TEST(Campaign, ShrinksAFailureToACaseThatReplays) {
  const Scratch scratch;
  const Registry subjects = only(std::make_unique<DropsLast>());
  CampaignOptions o = small(scratch, 40);
  o.shrink_evaluations = 3000;
  const CampaignResult r = run_campaign(o, subjects);
  EXPECT_EQ(r.exit_code(), 1);
  ASSERT_FALSE(r.buckets.empty());
  const Bucket& b = r.buckets.front();
  EXPECT_EQ(b.subject, "drops_last");
  EXPECT_GT(b.reproduced, 0);
  ASSERT_EQ(b.case_file.filename(), "minimal.case.json");
  EXPECT_LE(read_case(b.case_file).value.batch(), 3);
  const ReplayedCase replayed = replay(b.case_file, {}, subjects);
  ASSERT_EQ(replayed.rows.size(), 1);
  EXPECT_EQ(name(replayed.rows[0].verdict.failure), b.failure_class);
  EXPECT_EQ(exit_code({replayed}), 1);
  EXPECT_THAT(content(b.case_file.parent_path() / "minimal.txt"),
              HasSubstr("ulpfuzz replay " + b.case_file.string()));
}

TEST(Campaign, WritesTheOriginalBesideTheMinimalCase) {
  const Scratch scratch;
  const CampaignResult r = run_campaign(small(scratch, 40), only(std::make_unique<DropsLast>()));
  ASSERT_FALSE(r.buckets.empty());
  const auto folder = scratch / "out" / "findings" / r.buckets.front().id;
  std::size_t originals = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (file.ends_with(".case.json") && file != "minimal.case.json") {
      ++originals;
      EXPECT_EQ(file, content_hash(read_case(entry.path()).value) + ".case.json");
      EXPECT_EQ(read_case(entry.path()).notes.at("subject"), "drops_last");
    }
  }
  EXPECT_GE(originals, 1);
  EXPECT_LE(originals, 3);
}

TEST(Campaign, MakesOneCaseOfTheSeedAgain) {
  const Scratch scratch;
  const Registry subjects = only(std::make_unique<DropsLast>());
  CampaignOptions o = small(scratch, 40);
  const CampaignResult all = run_campaign(o, subjects);
  ASSERT_FALSE(all.buckets.empty());
  o.cases = 0;
  o.index = all.buckets.front().index;
  o.out = scratch / "again";
  const CampaignResult again = run_campaign(o, subjects);
  EXPECT_EQ(again.cases, 1);
  ASSERT_EQ(again.buckets.size(), 1);
  EXPECT_EQ(again.buckets[0].id, all.buckets.front().id);
}

TEST(Campaign, TriesReferencesRarelyUnlessAskedFor) {
  const auto nothing = [](const Evaluation&) {};
  Registry subjects = staged("reference/slow", nothing);
  subjects.merge(staged("quick", nothing));
  subjects.merge(staged("fault/asleep", nothing));
  const auto cases_of = [&](std::vector<std::string> globs) {
    const Scratch scratch;
    CampaignOptions o = small(scratch, 170);
    o.subjects = std::move(globs);
    std::map<std::string, std::uint64_t> cases;
    for (const PairCounts& p : run_campaign(o, subjects).pairs) cases[p.subject] = p.cases;
    return cases;
  };
  using Counts = std::map<std::string, std::uint64_t>;
  EXPECT_EQ(cases_of({}), (Counts{{"reference/slow", 10}, {"quick", 160}}));
  EXPECT_EQ(cases_of({"*"}), (Counts{{"reference/slow", 85}, {"quick", 85}}));
  EXPECT_EQ(cases_of({"fault/*"}), (Counts{{"fault/asleep", 170}}));
}

TEST(Campaign, EndsAfterItsTime) {
  const Scratch scratch;
  CampaignOptions o = small(scratch, 0);
  o.seconds = 0.5;
  o.jobs = 2;
  const CampaignResult r = run_campaign(o, staged("honest", [](auto&) {}));
  EXPECT_EQ(r.exit_code(), 0);
  EXPECT_GE(r.seconds, 0.45);
  EXPECT_LT(r.seconds, 5);
}

TEST(Campaign, SaysThatTooLittleWasExecuted) {
  const Scratch scratch;
  const CampaignResult r =
      run_campaign(small(scratch, 10), only(std::make_unique<mutants::Refuses>()));
  EXPECT_EQ(r.exit_code(), 5);
  EXPECT_EQ(r.verdicts.at("skip"), 10);
  ASSERT_EQ(r.skip_reasons.size(), 1);
  EXPECT_THAT(r.skip_reasons.begin()->first, HasSubstr("on principle"));
}

TEST(Campaign, RefusesMisuseAndNamesWhatThereIs) {
  const Scratch scratch;
  const Registry subjects = staged("honest", [](auto&) {});
  CampaignOptions o = small(scratch, 1);
  o.subjects = {"nonesuch"};
  try {
    run_campaign(o, subjects);
    FAIL() << "an unknown subject was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("nonesuch"));
    EXPECT_THAT(error.what(), HasSubstr("honest"));
  }
  o = small(scratch, 1);
  o.jobs = 0;
  EXPECT_THROW(run_campaign(o, subjects), std::invalid_argument);
}

TEST(Campaign, RefusesAFolderThatCannotBe) {
  const Scratch scratch;
  std::ofstream(scratch / "file") << "in the way";
  CampaignOptions o = small(scratch, 1);
  o.out = scratch / "file/below";
  EXPECT_THROW(run_campaign(o, staged("honest", [](auto&) {})), FileError);
}

}  // namespace
}  // namespace ulpfuzz
