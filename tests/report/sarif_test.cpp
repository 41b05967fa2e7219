#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "sample_night.hpp"
#include "support/folder.hpp"

namespace ulpfuzz::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::Folder;

/// The parts of SARIF 2.1.0 that hold of any log, as far as they speak of what is in this one.
void expect_standard(const json& log) {
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_THAT(log["$schema"].get<std::string>(), HasSubstr("sarif-2.1.0"));
  ASSERT_EQ(log["runs"].size(), 1u);
  const json& run = log["runs"][0];
  EXPECT_FALSE(run["tool"]["driver"]["name"].get<std::string>().empty());
  std::set<std::string> ids;
  for (const json& rule : run["tool"]["driver"]["rules"]) {
    EXPECT_TRUE(ids.insert(rule["id"]).second) << "twice: " << rule["id"];
    for (const char* key : {"shortDescription", "fullDescription", "help"})
      EXPECT_FALSE(rule[key]["text"].get<std::string>().empty());
  }
  for (const json& invocation : run["invocations"])
    EXPECT_TRUE(invocation["executionSuccessful"].is_boolean());
  const std::set<std::string> levels{"none", "note", "warning", "error"};
  const std::set<std::string> kinds{"notApplicable", "pass", "fail",
                                    "review",        "open", "informational"};
  const std::set<std::string> baselines{"new", "unchanged", "updated", "absent"};
  // RFC 3986: a relative reference of path segments, no scheme.
  const std::regex uri("([A-Za-z0-9._~/-]|%[0-9A-F]{2})+");
  for (const json& result : run["results"]) {
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    EXPECT_EQ(levels.count(result["level"]), 1u);
    EXPECT_EQ(kinds.count(result["kind"]), 1u);
    EXPECT_EQ(baselines.count(result["baselineState"]), 1u);
    EXPECT_TRUE(result["kind"] == "fail" || result["level"] == "none") << "3.27.10";
    EXPECT_EQ(run["tool"]["driver"]["rules"][result["ruleIndex"].get<std::size_t>()]["id"],
              result["ruleId"]);
    EXPECT_GE(result["rank"].get<double>(), 0);
    EXPECT_LE(result["rank"].get<double>(), 100);
    EXPECT_TRUE(!result.contains("occurrenceCount") || result["occurrenceCount"] >= 1);
    const json& place = result["locations"][0]["physicalLocation"];
    const std::string where = place["artifactLocation"]["uri"];
    EXPECT_TRUE(std::regex_match(where, uri)) << where;
    EXPECT_NE(where.front(), '/');
    EXPECT_EQ(run["originalUriBaseIds"].count(place["artifactLocation"]["uriBaseId"]), 1u);
    EXPECT_GE(place["region"]["startLine"], 1);
    for (const auto& [key, print] : result["partialFingerprints"].items())
      EXPECT_TRUE(print.is_string());
    if (!result.contains("suppressions")) continue;
    for (const json& suppression : result["suppressions"]) {
      EXPECT_EQ(suppression["kind"], "external");
      EXPECT_EQ(suppression["status"], "accepted");
    }
  }
}

json log_of(const Night& night) {
  json log = json::parse(to_sarif(night));
  expect_standard(log);
  return log;
}

TEST(Sarif, KeepsTheStandard) {
  const Folder folder;
  log_of(samples::usual_night(folder.path()));
  log_of(samples::hostile_night(folder.path()));
  log_of(samples::empty_night());
  log_of(samples::cut_night());
  log_of(samples::running_night());
}

TEST(Sarif, HasAResultForEachBucketWithItsStateAndPlace) {
  const Folder folder;
  const Night night = samples::usual_night(folder.path());
  const json log = log_of(night);
  const json& results = log["runs"][0]["results"];
  ASSERT_EQ(results.size(), night.buckets.size());
  const std::map<BucketState, std::array<std::string, 2>> expected{
      {BucketState::returned, {"error", "new"}},   {BucketState::fresh, {"error", "new"}},
      {BucketState::open, {"error", "unchanged"}}, {BucketState::known, {"warning", "unchanged"}},
      {BucketState::flaky, {"note", "new"}},       {BucketState::fixed, {"none", "absent"}}};
  std::set<BucketState> seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const NightBucket& b = night.buckets[i];
    seen.insert(b.state);
    EXPECT_EQ(results[i]["level"], expected.at(b.state)[0]);
    EXPECT_EQ(results[i]["baselineState"], expected.at(b.state)[1]);
    EXPECT_EQ(results[i]["partialFingerprints"]["ulpfuzzBucket/v1"], b.bucket.id);
    EXPECT_EQ(results[i].contains("suppressions"), b.state == BucketState::known);
    if (!b.bucket.case_file.empty()) {
      EXPECT_EQ(results[i]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                b.bucket.case_file.string());
    }
  }
  EXPECT_EQ(seen.size(), bucket_states) << "a sample of each state";
}

TEST(Sarif, SaysWhyAKnownOneIsQuiet) {
  const Folder folder;
  const json log = log_of(samples::usual_night(folder.path()));
  for (const json& result : log["runs"][0]["results"])
    if (result.contains("suppressions")) {
      EXPECT_EQ(result["suppressions"][0]["justification"],
                "known to Ann Example until 2026-12-31: waits for the vendor's next release");
    }
}

TEST(Sarif, HasOneRuleForAPropertyAndAClassAndSaysWhatItMeans) {
  Night night;
  for (const char* subject : {"a", "b"}) {
    NightBucket& b = night.buckets.emplace_back();
    b.bucket.property = "batched_vs_sliced";
    b.bucket.failure_class = "nondeterministic";
    b.bucket.subject = subject;
  }
  const json log = log_of(night);
  const json& rules = log["runs"][0]["tool"]["driver"]["rules"];
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0]["id"], "batched_vs_sliced/nondeterministic");
  EXPECT_EQ(rules[0]["name"], "BatchedVsSlicedNondeterministic");
  EXPECT_THAT(rules[0]["help"]["text"].get<std::string>(),
              HasSubstr("the same call gave other bits the second time"));
  EXPECT_THAT(rules[0]["fullDescription"]["text"].get<std::string>(),
              StartsWith("What must hold: "));
}

TEST(Sarif, RanksWhatIsFarBeyondItsBoundHigher) {
  Night night;
  for (const double share : {1.5, 40.0, 1e6}) {
    NightBucket& b = night.buckets.emplace_back();
    b.bucket.failure_class = "beyond_bound";
    b.bucket.share = share;
  }
  night.buckets.emplace_back().bucket.failure_class = "crash";
  const json log = log_of(night);
  const json& results = log["runs"][0]["results"];
  EXPECT_LT(results[0]["rank"], results[1]["rank"]);
  EXPECT_LT(results[1]["rank"], results[2]["rank"]);
  EXPECT_LE(results[2]["rank"], results[3]["rank"]);
}

TEST(Sarif, EscapesPathsAndNamesBrokenInfrastructure) {
  Night night = samples::cut_night();
  night.buckets.emplace_back().bucket.case_file = "findings/a b#?%\xc3\xa9/x.case.json";
  const json log = log_of(night);
  const json& run = log["runs"][0];
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "findings/a%20b%23%3F%25%C3%A9/x.case.json");
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], false);
  EXPECT_EQ(run["invocations"][0]["startTimeUtc"], "2026-11-30T02:00:00Z");
  EXPECT_THAT(
      run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"].get<std::string>(),
      HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace ulpfuzz::report
