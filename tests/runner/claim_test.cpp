#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tool_run.hpp"
#include "ulpfuzz/core/named_arithmetics.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::only;
using mutants::Scratch;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

Registry tf32_machine() {
  Emulation e;
  e.arithmetic.everywhere = arithmetic_from("tf32").value();
  return only(std::make_unique<Emulated>("machine", e));
}

CampaignOptions campaign(const Scratch& scratch, const std::string& claim) {
  CampaignOptions o;
  o.properties = {"batched_vs_sliced"};
  o.seed = 3;
  o.cases = 150;
  o.out = scratch / (claim.empty() ? "own" : claim);
  o.limits.kind = generators::Limits::Kind::plain;
  o.shrink_evaluations = 100;
  o.claim = claim;
  return o;
}

TEST(Claim, Tf32IsFoundUnderFp32AndPassesUnderItsOwnName) {
  const Scratch scratch;
  const Registry subjects = tf32_machine();
  EXPECT_EQ(run_campaign(campaign(scratch, ""), subjects).exit_code(), 0);
  EXPECT_EQ(run_campaign(campaign(scratch, "tf32"), subjects).exit_code(), 0);
  const CampaignResult r = run_campaign(campaign(scratch, "fp32"), subjects);
  EXPECT_EQ(r.exit_code(), 1);
  ASSERT_FALSE(r.buckets.empty());
  EXPECT_THAT(r.buckets[0].cause, HasSubstr("tf32"));
  EXPECT_THAT(r.buckets[0].id, HasSubstr("-as-fp32"));
  EXPECT_EQ(r.environment.claim, "fp32");
}

TEST(Claim, OfAFindingIsInItsNotesSoThatItReplays) {
  const Scratch scratch;
  const Registry subjects = tf32_machine();
  const CampaignResult r = run_campaign(campaign(scratch, "fp32"), subjects);
  ASSERT_FALSE(r.buckets.empty());
  const std::filesystem::path file = r.buckets[0].case_file;
  EXPECT_EQ(read_case(file).notes.at("claim"), "fp32");
  EXPECT_THAT(read_case(file).notes.at("origin"), HasSubstr("--claim fp32"));
  EXPECT_THAT(content(file.parent_path() / "minimal.txt"), HasSubstr("judged as:    fp32"));
  const ReplayedCase again = replay(file, {}, subjects);
  EXPECT_EQ(again.claim, "fp32");
  EXPECT_TRUE(again.rows.at(0).verdict.failed());
  ReplayOptions other;
  other.claim = "tf32";
  EXPECT_FALSE(replay(file, other, subjects).rows.at(0).verdict.failed());
}

TEST(Claim, AnUnknownNameIsRefusedWithTheListOfNames) {
  const Scratch scratch;
  std::ofstream(scratch / "c.case.json") << to_text({generators::case_from_seed(1, 1), {}});
  const std::string file = (scratch / "c.case.json").string();
  for (const std::string& call : {"run --cases 1" + out_option(scratch), "replay " + file,
                                  "shrink " + file, std::string("probe loops")}) {
    const Result r = run(scratch, call + " --claim fp31");
    EXPECT_EQ(r.code, 2) << call;
    EXPECT_THAT(r.err, HasSubstr("no arithmetic 'fp31'; there are fp32, ")) << call;
    EXPECT_THAT(r.err, HasSubstr("bf16x9")) << call;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
  EXPECT_FALSE(std::filesystem::exists(scratch / "report"));
  CampaignOptions o = campaign(scratch, "fp31");
  EXPECT_THROW(run_campaign(o, tf32_machine()), std::invalid_argument);
}

TEST(Claim, AnUnknownNameInTheNotesIsAnErrorOfTheFile) {
  const Scratch scratch;
  write_case(scratch / "c.case.json", {generators::case_from_seed(1, 1), {{"claim", "fp31"}}});
  const Result r = run(scratch, "replay --subject loops " + (scratch / "c.case.json").string());
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr("c.case.json: no arithmetic 'fp31'"));
}

TEST(Claim, FindingsOfTheToolReplayAndShrinkUnderIt) {
  const Scratch scratch;
  const Result found =
      run(scratch,
          "run --subject 'fault/tf32_above_8' --property batched_vs_sliced --claim bf16x9 "
          "--seed 4 --cases 200 --jobs 1 --shrink-evaluations 60 --json -" +
              out_option(scratch));
  ASSERT_EQ(found.code, 1) << found.err;
  const json summary = json::parse(found.out);
  EXPECT_EQ(summary.at("options").at("claim"), "bf16x9");
  EXPECT_EQ(summary.at("environment").at("claim"), "bf16x9");
  const std::string file = summary.at("buckets").at(0).at("case");
  EXPECT_THAT(file, HasSubstr("-as-bf16x9"));
  const Result again = run(scratch, "replay " + file + " --json -");
  EXPECT_EQ(again.code, 1);
  EXPECT_EQ(json::parse(again.out).at("cases").at(0).at("claim"), "bf16x9");
  EXPECT_EQ(run(scratch, "replay --claim tf32 " + file).code, 0);
  const std::string small = (scratch / "small.case.json").string();
  EXPECT_EQ(run(scratch, "shrink --shrink-evaluations 40 " + file + " --out " + small).code, 1);
  EXPECT_EQ(read_case(small).notes.at("claim"), "bf16x9");
  EXPECT_EQ(run(scratch, "shrink --claim tf32 " + file + " --out " + small).code, 0);
}

TEST(Claim, ProbeJudgesByIt) {
  const Scratch scratch;
  const std::string probe = "probe openblas --inner 8 --largest-batch 4 ";
  EXPECT_EQ(run(scratch, probe + "--claim tf32").code, 0) << "better than claimed is no breach";
  const Result strict = run(scratch, probe + "--claim fp64 --json -");
  EXPECT_EQ(strict.code, 1);
  EXPECT_EQ(json::parse(strict.out).at("claim"), "fp64");
  EXPECT_THAT(strict.err, HasSubstr("judged as fp64: "));
}

TEST(Claim, ACommentOfAnotherSubjectOrClaimSaysSo) {
  const Scratch scratch;
  const std::string file = (scratch / "c.case.json").string();
  write_case(file,
             {generators::case_from_seed(1, 1),
              {{"property", "batched_vs_sliced"}, {"subject", "loops"}, {"comment", "Why."}}});
  const auto text = [&](const std::string& options) {
    return run(scratch, "replay " + file + options).out;
  };
  EXPECT_THAT(text(""), HasSubstr("\n  Why.\n"));
  EXPECT_THAT(text(" --subject reference/fp64"), HasSubstr("\n  found on loops: Why.\n"));
  EXPECT_THAT(text(" --claim tf32"), HasSubstr("\n  found on loops: Why.\n"));
}

TEST(Claim, TheArithmeticsAreListed) {
  const Scratch scratch;
  const Result r = run(scratch, "list arithmetics");
  EXPECT_EQ(r.code, 0);
  for (const NamedArithmetic& a : named_arithmetics())
    EXPECT_THAT(r.out, HasSubstr(fmt::format("  {:<34} {}", a.name, a.description)));
}

/// loops are fp32: every arithmetic but fp64 allows what they do.
TEST(Claim, EveryNameJudgesEveryProperty) {
  const Registry subjects = builtin_subjects();
  const Subject& loops = *subjects.find("loops");
  for (const NamedArithmetic& named : named_arithmetics()) {
    const Registry judged = judged_as(std::string(named.name), subjects);
    unsigned passed = 0;
    CheckContext context;
    for (const Property* property : properties::all())
      for (std::uint64_t i = 0; i < 40; ++i) {
        const Case c = generators::case_from_seed(
            11, i, property->needs_gradient ? generators::gradient_limits() : generators::Limits{});
        const Verdict v = property->check(c, *judged.find("loops"), {}, context);
        if (named.name != "fp64") {
          EXPECT_FALSE(v.failed()) << named.name << ": " << v.reason;
        }
        passed += v.outcome == Outcome::pass ? 1 : 0;
      }
    EXPECT_GT(passed, 15u) << named.name << " on " << loops.name();
  }
}

}  // namespace
}  // namespace ulpfuzz
