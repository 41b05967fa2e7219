#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tool_run.hpp"

namespace ulpfuzz {
namespace {

using mutants::Scratch;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string small_sizes = " --inner 8 --largest-batch 12 ";

TEST(ProbeTool, PrintsWhatItFindsAndEndsWithZeroWhereClaimsHold) {
  const Scratch scratch;
  const Result r = run(scratch, "probe loops" + small_sizes);
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_THAT(r.err, IsEmpty());  // no progress line where nobody watches
  EXPECT_THAT(r.out, StartsWith("ulpfuzz probe: loops\n"));
  EXPECT_THAT(r.out, HasSubstr("operands of products: fp32, as they are"));
  EXPECT_THAT(r.out, HasSubstr("64 of 64 random sums predicted bit for bit"));
  EXPECT_THAT(r.out, HasSubstr("1-12: all rows: sequential, bias last"));
  EXPECT_THAT(r.out, HasSubstr("claims hold"));
}

TEST(ProbeTool, EndsWithOneWhereAClaimIsBrokenAndNamesTheBatch) {
  const Scratch scratch;
  const Result r = run(scratch, "probe fault/tf32_above_8" + small_sizes);
  EXPECT_EQ(r.code, 1);
  EXPECT_THAT(r.out, HasSubstr(" ! operands of products, batch 9-12: "));
  EXPECT_THAT(r.out, HasSubstr("tf32, to nearest away"));
  EXPECT_THAT(r.out, Not(HasSubstr("claims hold")));
}

TEST(ProbeTool, WritesJsonThatHoldsTheTrees) {
  const Scratch scratch;
  const Result r = run(scratch, "probe loops --json -" + small_sizes);
  EXPECT_EQ(r.code, 0);
  const json j = json::parse(r.out);
  EXPECT_EQ(j["format"], "ulpfuzz-probe");
  EXPECT_EQ(j["subject"], "loops");
  EXPECT_EQ(j["claims_hold"], true);
  EXPECT_EQ(j["exit_code"], 0);
  EXPECT_EQ(j["inner"], json({8}));
  const json& order = j["orders"][0];
  EXPECT_EQ(order["where"], "linear 8 -> 16, batch 1");
  EXPECT_EQ(order["order"], "sequential");
  const json& tree = order["tree"];
  EXPECT_EQ(tree["terms"], 8);
  EXPECT_EQ(tree["fma"], "separate");
  EXPECT_EQ(tree["nodes"].size(), 15u);
  EXPECT_EQ(tree["nodes"][tree["root"].get<std::size_t>()]["children"].size(), 2u);
  EXPECT_EQ(j["batch_classes"][0]["text"], "1-12");
  EXPECT_EQ(j["batch_classes"][0]["sizes"].size(), 12u);
  EXPECT_THAT(r.err, HasSubstr("claims hold"));
}

TEST(ProbeTool, DrawsOneFileAnOrder) {
  const Scratch scratch;
  const std::string folder = (scratch / "orders/new").string();
  EXPECT_EQ(run(scratch, "probe loops --svg " + folder + small_sizes).code, 0);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_THAT(mutants::content(entry.path()), StartsWith("<svg"));
    ++files;
  }
  EXPECT_EQ(files, 2u);  // with and without bias
}

TEST(ProbeTool, OutlivesACrashAndLooksAtSmallerBatches) {
  const Scratch scratch;
  const Result r = run(scratch, "probe fault/crashes_above_batch" + small_sizes);
  EXPECT_EQ(r.code, 1);
  EXPECT_THAT(r.out, HasSubstr(" ! batch sizes: batch 5: crash"));
  EXPECT_THAT(r.out, HasSubstr("SIGSEGV"));
  EXPECT_THAT(r.out, HasSubstr("1-4: all rows: sequential, bias last"));
  EXPECT_THAT(r.out, HasSubstr("operands of products: fp32, as they are"));
}

TEST(ProbeTool, KillsASubjectThatHangs) {
  const Scratch scratch;
  const Result r = run(scratch, "probe fault/hangs_above_batch --timeout 500ms" + small_sizes);
  EXPECT_EQ(r.code, 1);
  EXPECT_THAT(r.out, HasSubstr(" ! batch sizes: batch 5: hang"));
  EXPECT_THAT(r.out, HasSubstr("1-4: all rows: sequential, bias last"));
}

TEST(ProbeTool, LetsNoSubjectTakeMemoryWithoutEnd) {
  const Scratch scratch;
  const Result r = run(scratch, "probe fault/allocates_above_batch --memory 96M" + small_sizes);
  EXPECT_EQ(r.code, 1);
  EXPECT_THAT(r.out, HasSubstr("out_of_memory"));
  EXPECT_THAT(r.out, HasSubstr("1-4: all rows: sequential, bias last"));
}

TEST(ProbeTool, EndsCleanlyWhenInterrupted) {
  const Scratch scratch;
  const Result r = run(scratch, "probe fault/hangs_above_batch --timeout 1h" + small_sizes,
                       "timeout --signal INT 1");
  EXPECT_EQ(r.code, 124);  // timeout's own; the tool wrote its report before it ended
  EXPECT_THAT(r.out, HasSubstr("ulpfuzz probe: fault/hangs_above_batch"));
  EXPECT_THAT(r.err, HasSubstr("interrupted"));
}

TEST(ProbeTool, RefusesWrongUsageInOneLine) {
  const Scratch scratch;
  for (const char* wrong :
       {"probe", "probe nothing", "probe 'reference/*'", "probe loops --inner 1",
        "probe loops --inner 8,,9", "probe loops --inner 5000", "probe loops --largest-batch 0",
        "probe loops --largest-batch x"}) {
    const Result r = run(scratch, wrong);
    EXPECT_EQ(r.code, 2) << wrong << r.out;
    EXPECT_THAT(r.out, IsEmpty()) << wrong;
    EXPECT_THAT(r.err, Not(IsEmpty())) << wrong;
  }
  EXPECT_EQ(run(scratch, "probe loops --svg /dev/null/x" + small_sizes).code, 4);
  EXPECT_EQ(run(scratch, "probe loops --json /nowhere/x.json" + small_sizes).code, 4);
}

TEST(ProbeTool, ExplainsItselfWithAnExample) {
  const Scratch scratch;
  const Result r = run(scratch, "probe --help");
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.out, HasSubstr("Example:\n  ulpfuzz probe openblas"));
  EXPECT_THAT(run(scratch, "--help").out, HasSubstr("probe"));
}

}  // namespace
}  // namespace ulpfuzz
