#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "trial_subjects.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::Scratch;
using nlohmann::json;
using testing::HasSubstr;

CampaignOptions small_summary(const Scratch& scratch) {
  CampaignOptions o;
  o.seed = 5;
  o.cases = 80;
  o.out = scratch / "out";
  o.limits.kind = generators::Limits::Kind::plain;
  o.shrink_evaluations = 0;
  return o;
}

Registry failing_summary() {
  Registry subjects = mutants::only(std::make_unique<mutants::DropsLast>());
  subjects.merge(mutants::staged("crashing", [](const Evaluation& e) {
    if (e.batch == 9) raise(SIGSEGV);
  }));
  subjects.add(std::make_unique<mutants::Refuses>());
  return subjects;
}

std::string refusal(const std::string& text) {
  try {
    campaign_from_json(text, "there/summary.json");
  } catch (const FileError& error) {
    return error.what();
  }
  return "read";
}

TEST(SummaryRead, RestoresWhatARunWrote) {
  const Scratch scratch;
  const CampaignOptions o = small_summary(scratch);
  CampaignResult r = run_campaign(o, failing_summary());
  r.unavailable["cuda"] = "no device";
  r.stopped["crashing"] = "stopped: ...";
  r.errors = {"disk: full"};
  r.share_max["batched_vs_sliced"]["drops_last"] = std::numeric_limits<double>::infinity();
  r.pairs.front().rare = true;
  r.corpus = 17;
  ASSERT_FALSE(r.buckets.empty());
  const std::string text = summary_json(o, r);
  const CampaignResult again = campaign_from_json(text, "summary.json");
  EXPECT_EQ(summary_json(o, again), text);
  EXPECT_EQ(summary_text(o, again), summary_text(o, r));
  EXPECT_EQ(again.buckets.front().case_file, r.buckets.front().case_file);
  EXPECT_EQ(again.statistics.sizes, r.statistics.sizes);
  EXPECT_EQ(again.pairs.front().shares, r.pairs.front().shares);
  EXPECT_EQ(again.share_max, r.share_max);
  EXPECT_EQ(again.environment.machine, r.environment.machine);
  EXPECT_EQ(again.exit_code(), 4);
  const CampaignResult file = campaign_from_json(content(o.out / "summary.json"), "file");
  EXPECT_EQ(file.cases, 80u);
  EXPECT_EQ(file.exit_code(), 1);
}

TEST(SummaryRead, TakesARunThatIsNotOver) {
  CampaignOptions o;
  CampaignResult r;
  r.running = true;
  r.verdicts = {{"pass", 3}, {"fail", 0}, {"vacuous", 0}, {"skip", 0}};
  const CampaignResult again = campaign_from_json(summary_json(o, r), "x");
  EXPECT_TRUE(again.running);
  EXPECT_EQ(again.verdicts.at("pass"), 3u);
}

TEST(SummaryRead, NamesFileAndPlaceOfWhatItRefuses) {
  const Scratch scratch;
  const CampaignOptions o = small_summary(scratch);
  const json good = json::parse(summary_json(o, run_campaign(o, failing_summary())));
  const auto changed = [&good](const char* pointer, const json& value) {
    json bad = good;
    bad[json::json_pointer(pointer)] = value;
    return refusal(bad.dump());
  };
  EXPECT_THAT(refusal(""), HasSubstr("there/summary.json: parse error"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("there/summary.json: top: is [1]; an object would fit"));
  EXPECT_THAT(refusal("{}"), HasSubstr("kind: is not \"campaign\""));
  EXPECT_THAT(changed("/kind", "night"), HasSubstr("kind: is not \"campaign\""));
  EXPECT_THAT(changed("/schema", 2), HasSubstr("schema: 2 is not 1"));
  EXPECT_THAT(changed("/cases", -1), HasSubstr("cases: is -1; a whole number from 0 to"));
  EXPECT_THAT(changed("/cases", 1.5), HasSubstr("cases: is 1.5; "));
  EXPECT_THAT(changed("/buckets/0/count", "many"), HasSubstr("buckets[0].count: is \"many\""));
  EXPECT_THAT(changed("/buckets/0/tried", 5'000'000'000),
              HasSubstr("buckets[0].tried: is 5000000000; "));
  EXPECT_THAT(changed("/pairs/0/shares", json::array({1})),
              HasSubstr("pairs[0].shares: is [1]; a list of 34"));
  EXPECT_THAT(changed("/statistics/values", json::object()),
              HasSubstr("statistics.values.normal: is missing"));
  EXPECT_THAT(changed("/interrupted", 0), HasSubstr("interrupted: is 0; true or false"));
  EXPECT_THAT(changed("/environment/cpu", json()), HasSubstr("environment.cpu: is null"));
  std::string twice = good.dump();
  const std::string share = "\"share\":";
  twice.insert(twice.find(share, twice.find("\"buckets\":")), share + "0,");
  EXPECT_THAT(refusal(twice), HasSubstr("there/summary.json: buckets[0].share: is given twice"));
  for (const char* key : {"buckets", "pairs", "statistics", "errors", "environment", "running"}) {
    json bad = good;
    bad.erase(key);
    EXPECT_THAT(refusal(bad.dump()), HasSubstr(std::string(key) + ": is missing"));
  }
}

}  // namespace
}  // namespace ulpfuzz
