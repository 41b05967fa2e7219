#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tool_run.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/network/npy.hpp"
#include "ulpfuzz/runner/campaign.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::only;
using mutants::Scratch;
using nlohmann::json;
using testing::HasSubstr;

const std::string seeds = std::string(ULPFUZZ_SOURCE_DIR) + "/corpus/seeds";
const std::string jax_file = seeds + "/jax-vmap-mlp.case.json";

GivenCase drawn(const std::string& name, std::uint64_t i,
                std::map<std::string, std::string> notes = {}) {
  generators::Limits limits;
  limits.kind = generators::Limits::Kind::plain;
  return {name, {generators::case_from_seed(2, i, limits), std::move(notes)}};
}

TEST(GivenCases, RunOnceOnEverySubjectWithThePropertyOfTheirNotes) {
  const Scratch scratch;
  CampaignOptions o;
  o.out = scratch / "out";
  o.given = {drawn("a", 1), drawn("b", 2, {{"property", "batched_vs_sliced"}}), drawn("c", 3)};
  o.jobs = 2;
  const CampaignResult r = run_campaign(o, builtin_subjects());
  const std::size_t subjects = builtin_subjects().all().size() - r.unavailable.size();
  EXPECT_GE(subjects, 5u);
  EXPECT_EQ(r.cases, subjects * (2 + 1 + 2));
  for (const PairCounts& p : r.pairs) {
    if (r.unavailable.contains(p.subject)) continue;
    EXPECT_EQ(p.cases, p.property == "batched_vs_sliced" ? 3u : 2u) << p.subject;
  }
  EXPECT_THAT(content(o.out / "summary.json"), HasSubstr("\"given\": [\n"));
}

TEST(GivenCases, AFindingSaysWhichCaseItIs) {
  const Scratch scratch;
  CampaignOptions o;
  o.out = scratch / "out";
  o.properties = {"batched_vs_sliced"};
  for (std::uint64_t i = 0; i < 30; ++i) o.given.push_back(drawn(fmt::format("case {}", i), i));
  o.shrink_evaluations = 100;
  const CampaignResult r = run_campaign(o, only(std::make_unique<mutants::DropsLast>()));
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.cases, 30u);
  ASSERT_FALSE(r.buckets.empty());
  const Bucket& b = r.buckets[0];
  EXPECT_EQ(b.reproduced, b.tried);
  ASSERT_LT(b.index, 30u);
  EXPECT_THAT(read_case(b.case_file).notes.at("origin"), HasSubstr("ulpfuzz run --case 'case "));
  EXPECT_THAT(b.case_file.string(), HasSubstr("minimal.case.json"));
}

TEST(GivenCases, AreAtMostAsManyTurnsAsAsked) {
  const Scratch scratch;
  CampaignOptions o;
  o.out = scratch / "out";
  o.subjects = {"loops"};
  o.properties = {"batched_vs_sliced"};
  o.given = {drawn("a", 1), drawn("b", 2), drawn("c", 3)};
  o.cases = 2;
  EXPECT_EQ(run_campaign(o, builtin_subjects()).cases, 2u);
  o.index = 4;
  EXPECT_THROW(run_campaign(o, builtin_subjects()), std::invalid_argument);
}

TEST(GivenCases, ThePublicJaxReportPassesInFp32) {
  const Scratch scratch;
  const Result r =
      run(scratch, "run --case " + jax_file + " --subject loops --json -" + out_option(scratch));
  EXPECT_EQ(r.code, 0) << r.err;
  const json summary = json::parse(r.out);
  EXPECT_EQ(summary.at("cases"), 1);
  EXPECT_EQ(summary.at("verdicts").at("pass"), 1);
  EXPECT_EQ(summary.at("options").at("given").at(0), jax_file);
  EXPECT_THAT(r.err, HasSubstr("ulpfuzz run: 1 given case, "));
}

/// Under what it declares the emulated machine of the report passes; under fp32 the cause is found.
TEST(GivenCases, ThePublicJaxReportIsFoundToBeTf32) {
  const Scratch scratch;
  const std::string subject = " --subject simt/xla-ada ";
  EXPECT_EQ(run(scratch, "replay " + jax_file + subject).code, 0);
  const Result strict = run(scratch, "replay " + jax_file + subject + "--claim fp32 --json -");
  EXPECT_EQ(strict.code, 1);
  EXPECT_THAT(json::parse(strict.out).at("cases").at(0).at("rows").at(0).at("cause"),
              HasSubstr("tf32"));
  const Result found =
      run(scratch, "run --case " + jax_file + subject + "--claim fp32 --shrink-time 3s --json -" +
                       out_option(scratch));
  EXPECT_EQ(found.code, 1) << found.err;
  const json bucket = json::parse(found.out).at("buckets").at(0);
  EXPECT_THAT(bucket.at("cause"), HasSubstr("tf32"));
  EXPECT_EQ(bucket.at("reproduced"), bucket.at("tried"));
  EXPECT_EQ(run(scratch, "replay " + bucket.at("case").get<std::string>()).code, 1);
}

TEST(GivenCases, OfAFolderAreAllRun) {
  const Scratch scratch;
  const Result r =
      run(scratch, "run --case " + seeds + " --subject loops --json -" + out_option(scratch));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(json::parse(r.out).at("cases"), 2);
}

TEST(GivenCases, ThatCannotBeReadAreRefusedBeforeAnythingRuns) {
  const Scratch scratch;
  std::ofstream(scratch / "bad.case.json") << "{";
  const std::string bad = (scratch / "bad.case.json").string();
  const Result r = run(scratch, "run --case " + bad + out_option(scratch));
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("bad.case.json"));
  EXPECT_EQ(run(scratch, "run --case absent.case" + out_option(scratch)).code, 2);
  EXPECT_EQ(run(scratch, "run --seed 1 --case " + jax_file + out_option(scratch)).code, 2);
  EXPECT_EQ(run(scratch, "run --seed 1 --index 2 --case " + jax_file + out_option(scratch)).code,
            2);
  EXPECT_FALSE(std::filesystem::exists(scratch / "report"));
}

TEST(GivenCases, AreJudgedByTheClaimOfTheirNotes) {
  const Scratch scratch;
  CaseFile file = read_case(jax_file);
  file.notes["claim"] = "fp32";
  const std::string noted = (scratch / "noted.case.json").string();
  write_case(noted, file);
  const std::string call =
      "run --property batched_vs_sliced --subject simt/xla-ada --shrink-evaluations 0 --json - ";
  const auto code = [&](const std::string& name, const std::string& options) {
    return run(scratch, call + options + " --out " + (scratch / name).string()).code;
  };
  EXPECT_EQ(code("1", "--case " + jax_file), 0);
  EXPECT_EQ(code("2", "--case " + noted), 1);
  EXPECT_EQ(code("3", "--case " + noted + " --claim tf32"), 0);
  const Result mixed = run(scratch, call + "--case " + jax_file + " --case " + noted);
  EXPECT_EQ(mixed.code, 2);
  EXPECT_THAT(mixed.err, HasSubstr("noted.case.json: its notes name the claim fp32, those of "));
  EXPECT_EQ(code("4", "--case " + jax_file + " --case " + noted + " --claim tf32"), 0);
  file.notes["claim"] = "bogus";
  write_case(noted, file);
  const Result bogus = run(scratch, call + "--case " + noted);
  EXPECT_EQ(bogus.code, 2);
  EXPECT_THAT(bogus.err, HasSubstr("noted.case.json: no arithmetic 'bogus'; there are: fp32, "));
}

TEST(GivenCases, WhatDrawsCasesIsRefusedBesideThem) {
  const Scratch scratch;
  for (const std::string option : {"--seed 1", "--cases 3", "--plain", "--max-batch 2",
                                   "--max-width 2", "--max-depth 2", "--index 1"}) {
    const Result r = run(scratch, "run " + option + " --case " + jax_file + out_option(scratch));
    EXPECT_EQ(r.code, 2) << option;
    EXPECT_THAT(r.err, HasSubstr(option.substr(0, option.find(' ')) + ": given beside --case"));
  }
}

TEST(GivenCases, HaveNoSeed) {
  const Scratch scratch;
  const Result r =
      run(scratch, "run --case " + jax_file + " --subject loops" + out_option(scratch));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("elements, 1 given case\n"));
  EXPECT_THAT(r.out, testing::Not(HasSubstr("seed ")));
  EXPECT_EQ(json::parse(content(scratch / "report/summary.json")).at("seed"), nullptr);
}

TEST(GivenCases, WithATooLargeJacobianAreRefusedThoughTheyHaveNoCotangents) {
  const Scratch scratch;
  const std::vector<std::size_t> w{4097, 2}, x{9, 2};
  write_npy(scratch / "w.npy", w, std::vector<float>(8194, 1));
  write_npy(scratch / "x.npy", x, std::vector<float>(18, 1));
  std::ofstream(scratch / "big.case.json")
      << R"({"ulpfuzz_case": 1, "network": {"layers": ["linear w.npy"]},)"
      << R"("inputs": [{"npy": "x.npy"}]})";
  const std::string big = (scratch / "big.case.json").string();
  for (const std::string& verb : {"run --case " + big + out_option(scratch), "replay " + big}) {
    const Result r = run(scratch, verb + " --subject loops --property loop_vs_vectorized");
    EXPECT_EQ(r.code, 2) << verb;
    EXPECT_THAT(r.err, HasSubstr("big.case.json: loop_vs_vectorized would compute about 7.5"));
  }
  EXPECT_EQ(run(scratch, "replay " + big + " --subject loops --property batched_vs_sliced").code,
            0);
}

}  // namespace
}  // namespace ulpfuzz
