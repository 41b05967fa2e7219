#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiled_run.hpp"
#include "failures.hpp"

namespace ulpfuzz::repro {
namespace {

using testing::HasSubstr;

/// a, b and the difference of the verdict, bit for bit: floats differ by more than ulps of double.
void expect_numbers(const Ran& ran, const ElementEvidence& e) {
  ASSERT_EQ(ran.numbers.count("difference"), 1u) << ran.printed;
  const double a = ran.numbers.at("a");
  const double b = e.path_b == "reference" ? double{static_cast<float>(ran.numbers.at("b"))}
                                           : ran.numbers.at("b");
  EXPECT_THAT(a, testing::NanSensitiveDoubleEq(double{e.a})) << ran.printed;
  EXPECT_THAT(b, testing::NanSensitiveDoubleEq(double{e.b})) << ran.printed;
  if (std::isfinite(e.difference)) {
    EXPECT_EQ(ran.numbers.at("difference"), e.difference) << ran.printed;
    EXPECT_EQ(ran.numbers.at("bound"), e.bound) << ran.printed;
  }
}

bool has_element(const Verdict& v) {
  return v.failure == FailureClass::beyond_bound || v.failure == FailureClass::not_bitwise ||
         v.failure == FailureClass::nonfinite_mismatch;
}

/// The same verdict, of a right evaluator.
Failure honest(const Failure& failure) {
  return {failure.value, failure.property, *known_subjects().find("loops"),
          failure.check, failure.verdict,  failure.cause,
          failure.claim};
}

class CppProgram : public testing::TestWithParam<KnownFailure> {};

TEST_P(CppProgram, FailsWithTheNumbersOfTheVerdict) {
  const Failure failure = judged(GetParam());
  const std::string text = program(failure, Language::cpp, "repro.cpp");
  const Ran ran = run_compiled(text, "repro.cpp");
  EXPECT_EQ(ran.code, 1) << text << ran.printed;
  EXPECT_THAT(ran.printed, HasSubstr("FAIL: "));
  if (has_element(failure.verdict)) expect_numbers(ran, failure.verdict.worst);
  EXPECT_EQ(warnings_of(text), "") << text;
}

TEST_P(CppProgram, PassesOnceTheFaultIsGone) {
  const Failure failure = judged(GetParam());
  const std::string text = program(honest(failure), Language::cpp, "repro.cpp");
  const Ran ran = run_compiled(text, "repro.cpp");
  EXPECT_EQ(ran.code, 0) << text << ran.printed;
  EXPECT_THAT(ran.printed, HasSubstr("ok: "));
}

INSTANTIATE_TEST_SUITE_P(PlantedFaults, CppProgram, testing::ValuesIn(known_failures()),
                         [](const auto& tested) { return tested.param.name; });

Case one_linear(std::uint32_t k, std::uint32_t n, std::vector<float> weight, Tensor x) {
  Network network;
  network.output(network.linear(network.input(k), network.parameter(n, k)));
  Case c;
  for (std::uint32_t r = 0; r < x.rows; ++r) c.split.push_back({{r}, 0});
  c.network = std::move(network);
  c.parameters = {Tensor(n, k, std::move(weight))};
  c.inputs = {std::move(x)};
  return c;
}

/// Of conduct: no element is named.
class ConductProgram : public testing::TestWithParam<const char*> {};

TEST_P(ConductProgram, FailsAndPassesOnceTheFaultIsGone) {
  const std::string fault = GetParam();
  const KnownFailure known{fault, "fault/" + fault, &properties::batched_vs_sliced, false,
                           one_linear(1, 1, {1}, Tensor(17, 1, std::vector<float>(17, 1)))};
  const Failure failure = judged(known);
  const std::string text = program(failure, Language::cpp, "repro.cpp");
  const Ran ran = run_compiled(text, "repro.cpp");
  EXPECT_EQ(ran.code, 1) << text << ran.printed;
  EXPECT_EQ(warnings_of(text), "") << text;
  const Ran right = run_compiled(program(honest(failure), Language::cpp, "repro.cpp"), "repro.cpp");
  EXPECT_EQ(right.code, 0) << right.printed;
}

INSTANTIATE_TEST_SUITE_P(PlantedFaults, ConductProgram,
                         testing::Values("forgets_rows_beyond_16", "overruns", "leaves_ftz_on",
                                         "throws_above_batch"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(CppProgram, OfACrashEndsWithOneWhileItCrashes) {
  const Case c = one_linear(1, 1, {1}, Tensor(5, 1, std::vector<float>(5, 1)));
  Failure failure{c,
                  properties::batched_vs_sliced,
                  *known_subjects().find("fault/crashes_above_batch"),
                  {},
                  {},
                  "",
                  ""};
  failure.verdict.outcome = Outcome::fail;
  failure.verdict.failure = FailureClass::crash;
  EXPECT_EQ(run_compiled(program(failure, Language::cpp, "repro.cpp"), "repro.cpp").code, 1);
  EXPECT_EQ(run_compiled(program(honest(failure), Language::cpp, "repro.cpp"), "repro.cpp").code,
            0);
}

/// Found with OPENBLAS_CORETYPE=Haswell: sgemv for the single row, sgemm for two.
TEST(CppProgram, CallsOpenBlasAsTheSubjectDoes) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "no AVX2: no Haswell kernels";
  const Subject* openblas = known_subjects().find("openblas");
  if (openblas == nullptr) GTEST_SKIP() << "built without OpenBLAS";
  const Case c = one_linear(
      8, 2, {0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1},
      Tensor(2, 8, {0, 0x1.7e5948p+0, 0x1.9133bcp+0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}));
  Failure failure{c, properties::batched_vs_sliced, *openblas, {.bitwise = true}, {}, "", ""};
  failure.verdict.outcome = Outcome::fail;
  failure.verdict.failure = FailureClass::not_bitwise;
  failure.verdict.worst.where = "output[row 0][column 1]";
  failure.verdict.worst.path_a = "batch of 2";
  failure.verdict.worst.path_b = "slice row 0";
  setenv("OPENBLAS_CORETYPE", "Haswell", 1);
  const std::string text = program(failure, Language::cpp, "repro.cpp");
  EXPECT_THAT(command_of(text), HasSubstr(" -lopenblas "));
  EXPECT_THAT(command_of(text), HasSubstr(" && OPENBLAS_CORETYPE=Haswell ./repro"));
  const Ran ran = run_compiled(text, "repro.cpp");
  EXPECT_EQ(ran.code, 1) << text << ran.printed;
  EXPECT_GT(ran.numbers.at("difference"), 0);
  EXPECT_EQ(warnings_of(text), "") << text;
  unsetenv("OPENBLAS_CORETYPE");
}

TEST(CppProgram, CallsEigenAsTheSubjectDoes) {
  const Subject* eigen = known_subjects().find("eigen");
  if (eigen == nullptr) GTEST_SKIP() << "built without Eigen";
  Tensor x(12, 4);
  x.data[1] = x.data[2] = x.data[3] = 1;
  const KnownFailure known{
      "eigen", "eigen", &properties::batched_vs_sliced, true,
      one_linear(4, 4, {0, 1, 0x1.b4c34ep+0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, x)};
  const Failure failure = judged(known);
  const std::string text = program(failure, Language::cpp, "repro.cpp");
  const Ran ran = run_compiled(text, "repro.cpp");
  EXPECT_EQ(ran.code, 1) << text << ran.printed;
  expect_numbers(ran, failure.verdict.worst);
}

TEST(CppProgram, RoundsProductsAsTheProfileDoes) {
  KnownFailure known{"xla", "simt/xla-ada", &properties::batched_vs_sliced, true,
                     one_linear(1, 1, {0x1.002p+0}, Tensor(99, 1, std::vector<float>(99, 1)))};
  const Failure failure = judged(known);
  const std::string text = program(failure, Language::cpp, "repro.cpp");
  const Ran ran = run_compiled(text, "repro.cpp");
  EXPECT_EQ(ran.code, 1) << text << ran.printed;
  expect_numbers(ran, failure.verdict.worst);
  EXPECT_EQ(warnings_of(text), "") << text;
}

/// Slices of a block for few rows, stream-K for more.
TEST(CppProgram, AddsInTheOrdersOfTheProfile) {
  std::vector<float> numbers;
  for (unsigned i = 0; i < 5 * 64; ++i) numbers.push_back(static_cast<float>(i * 7919 % 1009) / 7);
  const std::vector<float> weight(numbers.begin(), numbers.begin() + 2 * 64);
  for (const auto& [k, n] : {std::pair{13u, 1u}, std::pair{64u, 2u}}) {
    const std::vector<float> w(weight.begin(), weight.begin() + k * n);
    const std::vector<float> x(numbers.begin(), numbers.begin() + 5 * k);
    const KnownFailure known{"orders", "simt/cublas-fp32", &properties::batched_vs_sliced, true,
                             one_linear(k, n, w, Tensor(5, k, x))};
    const Failure failure = judged(known);
    const std::string text = program(failure, Language::cpp, "repro.cpp");
    EXPECT_EQ(text.find("add_parts") != std::string::npos, k == 64) << text;
    const Ran ran = run_compiled(text, "repro.cpp");
    EXPECT_EQ(ran.code, 1) << text << ran.printed;
    expect_numbers(ran, failure.verdict.worst);
    EXPECT_EQ(warnings_of(text), "") << text;
  }
}

TEST(CppProgram, WritesTheCotangentsOfManyOutputs) {
  Network network;
  network.output(network.activation(Op::relu, network.input(20)));
  Case c;
  c.network = std::move(network);
  c.inputs = {Tensor(2, 20, std::vector<float>(40, -1))};
  c.cotangents = Tensor(2, 20, std::vector<float>(40, 1));
  c.split = {{{0, 1}, 0}};
  const KnownFailure known{"wide", "fault/wrong_mask_vectorized", &properties::loop_vs_vectorized,
                           false, c};
  const Failure failure = judged(known);
  const std::string text = program(failure, Language::cpp, "repro.cpp");
  const Ran ran = run_compiled(text, "repro.cpp");
  EXPECT_EQ(ran.code, 1) << text << ran.printed;
  expect_numbers(ran, failure.verdict.worst);
}

TEST(CppProgram, RefusesTooManyNumbers) {
  Tensor x(5, 1000);
  for (std::size_t i = 0; i < x.data.size(); ++i) x.data[i] = static_cast<float>(i) + 0.5f;
  const KnownFailure known{"neighbour_row", "fault/neighbour_row", &properties::batched_vs_sliced,
                           false, one_linear(1000, 1, std::vector<float>(1000, 1), x)};
  EXPECT_THAT([&] { program(judged(known), Language::cpp, "repro.cpp"); },
              testing::ThrowsMessage<std::invalid_argument>(HasSubstr("shrink it first")));
}

TEST(CppProgram, RefusesAVerdictThatIsNoFailure) {
  const Case c = one_linear(1, 1, {1}, Tensor(1, 1, {1}));
  const Failure failure{
      c, properties::batched_vs_sliced, *known_subjects().find("loops"), {}, {}, "", ""};
  EXPECT_THROW(program(failure, Language::cpp, "repro.cpp"), std::invalid_argument);
}

}  // namespace
}  // namespace ulpfuzz::repro
