#include <gmock/gmock.h>

#include "failures.hpp"

namespace ulpfuzz::repro {
namespace {

using testing::HasSubstr;

Surroundings surroundings() {
  return {.environment = {{"cpu", "a processor"}, {"openblas", "OpenBLAS 0.3.21"}},
          .boundaries = {"batch: fails from batch 9 on, passes at 8"},
          .dissection = "linear 1: critical",
          .command = "ulpfuzz replay small.case.json --times 3"};
}

TEST(Issue, HasAllThatAMaintainerAsksFor) {
  const Failure failure = judged(known_failure("tf32_above_8"));
  const std::string text = issue(failure, Language::torch, "repro_torch.py", surroundings());
  EXPECT_TRUE(text.starts_with("# fault/tf32_above_8: ")) << text;
  std::size_t at = 0;
  for (const char* section :
       {"\n## What happens\n", "\n## Expected\n", "\n## Observed\n", "\n## To reproduce\n",
        "\n## Where failing turns into passing\n", "\n## Cause\n",
        "\n## What matters in the case\n", "\n## Environment\n", "\n## Replaying with ulpfuzz\n"}) {
    const std::size_t found = text.find(section, at);
    ASSERT_NE(found, std::string::npos) << section << text;
    at = found;
  }
  EXPECT_THAT(text, HasSubstr("- batch: fails from batch 9 on, passes at 8\n"));
  EXPECT_THAT(text, HasSubstr("| cpu | a processor |\n"));
  EXPECT_THAT(text, HasSubstr("```sh\nulpfuzz replay small.case.json --times 3\n```\n"));
  EXPECT_THAT(text, HasSubstr("batch of 9"));
}

TEST(Issue, HoldsTheProgramAsItIs) {
  const Failure failure = judged(known_failure("neighbour_row"));
  const std::string text = issue(failure, Language::numpy, "repro_numpy.py", {});
  EXPECT_THAT(text, HasSubstr("```python\n" + program(failure, Language::numpy, "repro_numpy.py") +
                              "```\n"));
}

TEST(Issue, LeavesOutWhatIsNotKnown) {
  const std::string text =
      issue(judged(known_failure("swallows_nan")), Language::numpy, "repro_numpy.py", {});
  for (const char* section :
       {"## Where failing", "## What matters", "## Environment", "## Replaying"})
    EXPECT_EQ(text.find(section), std::string::npos) << section;
  EXPECT_EQ(text.find("| bound |"), std::string::npos) << "there is none between classes";
}

TEST(Issue, OfBitsThatDifferClaimsNeitherAMistakeNorAnExactResult) {
  const Failure failure = judged(known_failure("lanes_above_1"));
  ASSERT_EQ(failure.verdict.failure, FailureClass::not_bitwise);
  const std::string text = issue(failure, Language::cpp, "repro.cpp", {});
  EXPECT_THAT(text, HasSubstr("changes none of its bits.\n"));
  for (const char* wrong : {"| exact result |", "Most likely", " \n"})
    EXPECT_EQ(text.find(wrong), std::string::npos) << wrong << text;
}

TEST(Issue, OfConductSaysWhatIsExpectedOfACall) {
  KnownFailure unwritten = known_failure("neighbour_row");
  unwritten.subject = "fault/unwritten_tail";
  const std::string text = issue(judged(unwritten), Language::cpp, "repro.cpp", {});
  EXPECT_THAT(text, HasSubstr("## Expected\n\nEvery element of an output is written.\n"));
  for (const char* section : {"## Observed", "## Cause"})
    EXPECT_EQ(text.find(section), std::string::npos) << section << text;
}

TEST(Issue, OfResultsThatChangeHoldsThemAgainstNoBound) {
  const std::string text =
      issue(judged(known_failure("nondeterministic")), Language::numpy, "repro_numpy.py", {});
  EXPECT_THAT(text, HasSubstr("The same call gives the same bits when it is repeated.\n"));
  EXPECT_EQ(text.find("| bound |"), std::string::npos) << text;
}

TEST(Issue, SaysThatACauseIsNotKnown) {
  Failure failure = judged(known_failure("no_bias_above_1"));
  failure.verdict.cause = "unexplained";
  EXPECT_THAT(issue(failure, Language::numpy, "r.py", {}), HasSubstr("## Cause\n\nNot known: "));
  failure.cause = "missing bias";
  EXPECT_THAT(issue(failure, Language::numpy, "r.py", {}),
              HasSubstr("Most likely **missing bias** (as seen on"));
  failure.verdict.cause = "consistent with tf32 operands";
  EXPECT_THAT(issue(failure, Language::numpy, "r.py", {}),
              HasSubstr("**Consistent with tf32 operands**: that arithmetic allows"));
}

TEST(PythonProgram, HasTheArithmeticThatTheSubjectClaims) {
  const Failure seen = judged(known_failure("tf32_above_8"));
  const Failure mixed{seen.value, seen.property, *known_subjects().find("simt/xla-ada"),
                      {},         seen.verdict,  seen.cause,
                      seen.claim};
  EXPECT_THAT(program(mixed, Language::jax, "r.py"),
              HasSubstr("jax_default_matmul_precision\", \"tensorfloat32\""));
  EXPECT_THAT(program(mixed, Language::torch, "r.py"), HasSubstr("allow_tf32 = True"));
  for (const Language language : {Language::jax, Language::torch})
    EXPECT_EQ(program(seen, language, "r.py").find("tf32 ="), std::string::npos);
  EXPECT_EQ(program(seen, Language::jax, "r.py").find("precision"), std::string::npos);
}

TEST(PythonProgram, IsRefusedForWhatPythonCannotSee) {
  KnownFailure unwritten = known_failure("neighbour_row");
  unwritten.subject = "fault/unwritten_tail";
  const Failure failure = judged(unwritten);
  for (const Language language : {Language::torch, Language::jax, Language::numpy}) {
    try {
      program(failure, language, "r.py");
      ADD_FAILURE() << name(language);
    } catch (const std::invalid_argument& e) {
      EXPECT_THAT(e.what(), HasSubstr("--lang cpp would fit"));
    }
  }
}

}  // namespace
}  // namespace ulpfuzz::repro
