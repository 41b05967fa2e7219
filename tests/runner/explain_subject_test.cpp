#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "explain_files.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string corpus = std::string(ULPFUZZ_SOURCE_DIR) + "/corpus/";
const std::string jax_case = "explain --case " + corpus + "seeds/jax-vmap-mlp.case.json ";
const std::string reported = " --difference " + corpus + "public/jax-vmap/reported_difference.npy ";

TEST(ExplainSubject, TheEmulatedMachineReproducesEveryPublishedDifference) {
  const Scratch scratch;
  const Result r =
      run(scratch, jax_case + "--subject simt/xla-ada --batch-sizes 10,10000 --json -" + reported);
  EXPECT_EQ(r.code, 1);
  const json j = json::parse(r.out);
  EXPECT_EQ(j.at("subject").at("given"), 20);
  EXPECT_EQ(j.at("subject").at("reproduced"), 20);
  EXPECT_EQ(j.at("subject").at("digits"), 8);
  EXPECT_EQ(j.at("exact"), 20);
  EXPECT_THAT(j.at("cause"), HasSubstr("layer 1 fp32 on side a, TF32 everywhere else"));
  EXPECT_THAT(r.err,
              StartsWith("subject      simt/xla-ada, the first 10 and the first 10000 rows"));
  EXPECT_THAT(r.err,
              HasSubstr("reproduces   20 of 20 given differences at their printed digits (8)"));
}

TEST(ExplainSubject, PlainLoopsReproduceTheZerosAlone) {
  const Scratch scratch;
  const Result r = run(scratch, jax_case + "--subject loops --batch-sizes 10,10000" + reported);
  EXPECT_EQ(r.code, 0);
  EXPECT_THAT(r.out,
              HasSubstr("reproduces   4 of 20 given differences at their printed digits (8); "
                        "the others are off by up to 0.000144"));
  EXPECT_THAT(r.out, HasSubstr("verdict      equal in every bit"));
}

class ExplainSubjectFiles : public ::testing::Test {
 protected:
  Result evaluate(const std::string& rest) {
    return f.explain("--subject loops --batch-sizes " + rest);
  }
  void expect_refused(const Result& r, const std::string& part) {
    EXPECT_EQ(r.code, 2) << r.out << r.err;
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    EXPECT_THAT(r.err, HasSubstr(part));
  }
  Files f;
};

TEST_F(ExplainSubjectFiles, TheRowsAreThoseOfTheSmallerBatch) {
  const Result r = evaluate("2,4 --json -");
  EXPECT_EQ(r.code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j.at("elements"), 4);
  EXPECT_EQ(j.at("subject").at("name"), "loops");
  EXPECT_EQ(j.at("subject").at("batch_sizes"), json({2, 4}));
  EXPECT_EQ(j.at("subject").at("given"), nullptr);
  EXPECT_EQ(json::parse(evaluate("4,3 --rows 1,2 --json -").out).at("rows").size(), 2u);
}

TEST_F(ExplainSubjectFiles, DigitsAreThoseThatTheGivenNumbersShow) {
  // loops give no difference: 0 is what 0.004 shows with two decimals' worth of rounding, not 0.02.
  f.save("d.npy", {2, 2}, {0.0f, 0.01f, 0.02f, 0.0f});
  EXPECT_THAT(evaluate("2,4 --difference " + f / "d.npy").out,
              HasSubstr("reproduces   2 of 4 given differences at their printed digits (1)"));
}

TEST_F(ExplainSubjectFiles, ResultsWithoutASubjectHaveNoneInTheJson) {
  EXPECT_EQ(json::parse(f.explain(f.pair("y.npy", "y.npy") + " --json -").out).at("subject"),
            nullptr);
}

TEST_F(ExplainSubjectFiles, WhatDoesNotFitIsRefusedInOneLine) {
  expect_refused(f.explain("--subject loops"), "--batch-sizes: not given; name the two");
  expect_refused(f.explain("--timeout 3s " + f.pair("y.npy", "y.npy")),
                 "--timeout: given without --subject");
  expect_refused(f.explain("--memory 1G " + f.pair("y.npy", "y.npy")),
                 "--memory: given without --subject");
  f.save("w0.npy", {0, 3}, {});
  f.text("none.json", R"({"ulpfuzz_network": 1, "layers": ["linear w0.npy"]})");
  expect_refused(run(f.scratch(), "explain --network " + f / "none.json" + " --input " +
                                      f / "x.npy --subject loops --batch-sizes 2,4"),
                 "none.json: its output has 0 columns");
  expect_refused(evaluate("2,5"), "--batch-sizes: a batch of 5 rows, where");
  expect_refused(evaluate("2,5"), "x.npy has 4; give an input of so many rows");
  expect_refused(evaluate("2,4 --rows 1-2"), "row 2 is not in the batch of 2");
  expect_refused(evaluate("2,4 " + f.pair("y.npy", "y.npy")), "--subject: given beside results");
  expect_refused(evaluate("2,4 --difference-sum 1"), "--subject: given beside results");
  expect_refused(evaluate("2,4 --jacobian"), "--jacobian: given beside --subject");
  f.save("d.npy", {3, 2}, std::vector<float>(6));
  expect_refused(evaluate("2,4 --difference " + f / "d.npy"), "d.npy: shape (3, 2): 3 rows");
  EXPECT_EQ(f.explain("--subject nonesuch --batch-sizes 2,4").code, 2);
  EXPECT_EQ(f.explain("--subject 'reference/*' --batch-sizes 2,4").code, 2);
}

TEST_F(ExplainSubjectFiles, ASubjectThatFailsIsNoAnswer) {
  std::vector<float> x;
  for (int i = 0; i < 8; ++i) x.insert(x.end(), f.x().begin(), f.x().begin() + 3);
  f.save("x.npy", {8, 3}, x);
  const auto evaluate_with = [&](const std::string& subject) {
    return f.explain("--batch-sizes 2,8 --timeout 1s --subject fault/" + subject);
  };
  const Result crash = evaluate_with("crashes_above_batch");
  EXPECT_EQ(crash.code, 1);
  EXPECT_THAT(crash.err, HasSubstr("(crash): fault/crashes_above_batch killed by SIGSEGV"));
  EXPECT_THAT(evaluate_with("throws_above_batch").err, HasSubstr("(exception): "));
  EXPECT_THAT(evaluate_with("hangs_above_batch").err, HasSubstr("(hang): "));
  EXPECT_EQ(evaluate_with("hangs_above_batch").out, "");
  const Result greedy = evaluate_with("allocates_above_batch --memory 96M");
  EXPECT_EQ(greedy.code, 1);
  EXPECT_THAT(greedy.err, HasSubstr("(out_of_memory): "));
}

TEST_F(ExplainSubjectFiles, WhereNothingShowsDigitsBitsAreCompared) {
  f.save("d.npy", {2, 2}, {0.0f, 0.0f, 0.0f, 0.0f});
  EXPECT_THAT(evaluate("2,4 --difference " + f / "d.npy").out,
              HasSubstr("reproduces   4 of 4 given differences in every bit, as none of them"));
  const std::string zeros = f / "zeros.npy";
  f.save("zeros.npy", {10, 2}, std::vector<float>(20));
  const Result r = run(f.scratch(), jax_case +
                                        "--subject simt/xla-ada --batch-sizes 10,10000 --json - "
                                        "--difference " +
                                        zeros);
  const json j = json::parse(r.out).at("subject");
  EXPECT_EQ(j.at("reproduced"), 4);
  EXPECT_EQ(j.at("digits"), nullptr);
  EXPECT_GT(j.at("off_max").get<double>(), 1e-4);
}

TEST_F(ExplainSubjectFiles, AGivenNaNIsSaidToBeNoNumber) {
  f.save("d.npy", {2, 2}, {NAN, NAN, 0.01f, 0.0f});
  EXPECT_THAT(evaluate("2,4 --difference " + f / "d.npy").out,
              HasSubstr("reproduces   1 of 4 given differences at their printed digits (1); 2 of "
                        "them NaN, no number; the others are off by up to 0.01\n"));
  f.save("d.npy", {2, 2}, {NAN, NAN, NAN, NAN});
  const std::string all = evaluate("2,4 --difference " + f / "d.npy").out;
  EXPECT_THAT(all, HasSubstr("; 4 of them NaN, no number\n"));
  EXPECT_THAT(all, Not(HasSubstr("off by")));
}

}  // namespace
}  // namespace ulpfuzz
