#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <stdexcept>

#include "failures.hpp"
#include "python_run.hpp"

namespace ulpfuzz::repro {
namespace {

/// The same fault, or one that shows in the same place, for a library: FUNCTION:FAULT.
struct Plant {
  const char* name;  ///< of the failure
  const char* torch;
  const char* jax;
};
void PrintTo(const Plant& plant, std::ostream* out) { *out << plant.name; }
constexpr Plant plants[] = {
    {"tf32_above_8", "F.linear:tf32_above_8", "jnp.dot:tf32_above_8"},
    {"neighbour_row", "F.linear:neighbour_row", "jnp.dot:neighbour_row"},
    {"no_bias_above_1", "F.linear:no_bias_above_1", "jnp.dot:off_above_1"},
    {"drops_last_product", "F.linear:drops_last_column", "jnp.dot:drops_last_column"},
    {"wrong_transpose_when_square", "F.linear:transposed_when_square",
     "jnp.dot:transposed_when_square"},
    {"swallows_nan", "F.linear:nan_is_zero", "jnp.dot:nan_is_zero"},
    {"softplus_overflows", "F.softplus:overflows", "jax.nn.softplus:overflows"},
    {"lanes_above_1", "F.linear:off_above_1", "jnp.dot:off_above_1"},
    {"nondeterministic", "F.elu:wavers", "jax.nn.elu:wavers"},
    {"wrong_mask_vectorized_gradient", "func.vmap:plus_one", "jax.vmap:plus_one"},
    {"doubled_reused_gradient_gradient", "func.vmap:doubled", "jax.vmap:doubled"},
    {"mean_of_means_gradient", "torch.autograd.grad:one_and_a_half_above_1",
     "jax.vjp:one_and_a_half_above_1"}};

/// The verdict that is printed is the one that the printed numbers give.
void expect_consistent(const Ran& ran, const Failure& failure) {
  for (const char* name : {"a", "b", "difference", "bound"})
    ASSERT_EQ(ran.numbers.count(name), 1u) << name << "\n" << ran.printed;
  const double a = ran.numbers.at("a");
  const double b = ran.numbers.at("b");
  const double difference = ran.numbers.at("difference");
  if (!std::isnan(a - b)) {
    EXPECT_EQ(difference, std::fabs(a - b)) << ran.printed;
  }
  bool fails = false;
  switch (failure.verdict.failure) {
    case FailureClass::beyond_bound:
      EXPECT_EQ(ran.numbers.at("bound"), failure.verdict.worst.bound);
      fails = !(difference <= ran.numbers.at("bound"));
      break;
    case FailureClass::nonfinite_mismatch:
      fails = std::isnan(a) != std::isnan(b) || std::isinf(a) != std::isinf(b);
      break;
    default:
      fails = std::signbit(a) != std::signbit(b) || a != b;
  }
  EXPECT_EQ(ran.code, fails ? 1 : 0) << ran.printed;
  EXPECT_NE(ran.printed.find(fails ? "\nFAIL: " : "\nok: "), std::string::npos) << ran.printed;
}

/// Equal where nothing rounds; a few roundings of fp32 apart else.
void expect_near(double x, double expected, Tier tier) {
  if (std::isnan(expected) || std::isinf(expected)) {
    EXPECT_EQ(std::isnan(x), std::isnan(expected));
    EXPECT_EQ(std::isinf(x), std::isinf(expected));
  } else if (tier == Tier::exact) {
    EXPECT_EQ(x, expected);
  } else {
    EXPECT_NEAR(x, expected, 4 * 0x1p-23 * std::fabs(expected));
  }
}

/// Without the fault: what the library gives as it is.
void run_right(const Failure& failure, Language language, const std::string& text) {
  const Ran ran = run_program(language, text);
  expect_consistent(ran, failure);
  if (failure.verdict.failure == FailureClass::not_bitwise) return;  // either may be right
  EXPECT_EQ(ran.code, 0) << text << ran.printed;
  const ElementEvidence& e = failure.verdict.worst;
  expect_near(ran.numbers.at("a"), e.reference, e.tier);
  expect_near(ran.numbers.at("b"), e.reference, e.tier);
}

void run_both(const char* name, Language language, const char* plant) {
  if (const auto why = unavailable(language)) GTEST_SKIP() << *why;
  const Failure failure = judged(known_failure(name));
  const std::string text = program(failure, language, std::string(usual_file(language)));
  run_right(failure, language, text);
  const Ran ran = run_program(language, text, plant);
  expect_consistent(ran, failure);
  EXPECT_EQ(ran.code, 1) << plant << "\n" << text << ran.printed;
}

class LibraryPrograms : public testing::TestWithParam<Plant> {};

TEST_P(LibraryPrograms, OfTorchHoldForTorchAndFailForOneWithAFault) {
  run_both(GetParam().name, Language::torch, GetParam().torch);
}

TEST_P(LibraryPrograms, OfJaxHoldForJaxAndFailForOneWithAFault) {
  run_both(GetParam().name, Language::jax, GetParam().jax);
}

std::string name_of_plant(const testing::TestParamInfo<Plant>& one) { return one.param.name; }
INSTANTIATE_TEST_SUITE_P(Of, LibraryPrograms, testing::ValuesIn(plants), name_of_plant);

class NumpyPrograms : public testing::TestWithParam<KnownFailure> {};

TEST_P(NumpyPrograms, FailAsTheSubjectDoes) {
  if (const auto why = unavailable(Language::numpy)) GTEST_SKIP() << *why;
  const Failure failure = judged(GetParam());
  const std::string text = program(failure, Language::numpy, "repro_numpy.py");
  const Ran ran = run_program(Language::numpy, text);
  expect_consistent(ran, failure);
  EXPECT_EQ(ran.code, 1) << text << ran.printed;
  const ElementEvidence& e = failure.verdict.worst;
  expect_near(ran.numbers.at("a"), double{e.a}, e.tier);
  expect_near(ran.numbers.at("b"), e.path_b == "reference" ? e.reference : double{e.b}, e.tier);
}

std::string name_of(const testing::TestParamInfo<KnownFailure>& one) { return one.param.name; }
INSTANTIATE_TEST_SUITE_P(Of, NumpyPrograms, testing::ValuesIn(known_failures()), name_of);

}  // namespace
}  // namespace ulpfuzz::repro
