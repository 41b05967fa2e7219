#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "probe_subjects.hpp"
#include "ulpfuzz/probe/probe.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::probe {
namespace {

using ::testing::HasSubstr;

Report special(const Subject& subject) {
  Options o;
  o.inner = {8};
  o.largest_batch = 8;
  return probe(subject, o, "special values");
}

TEST(SpecialValues, OfHonestLoopsAreThoseOfIeee754) {
  const Registry registry = builtin_subjects();
  const Report report = special(*registry.find("loops"));
  EXPECT_TRUE(report.claims_hold());
  EXPECT_THAT(finding_of(report, "special values of relu").value,
              HasSubstr("NaN -> NaN, -NaN -> NaN, -0 -> -0"));
  EXPECT_EQ(finding_of(report, "0 inf in a sum").value, "NaN");
  EXPECT_EQ(finding_of(report, "subnormals").value, "operands kept, results kept");
  EXPECT_EQ(finding_of(report, "K = 0").value, "0");
  EXPECT_EQ(finding_of(report, "K = 0 with bias").value, "the bias");
  EXPECT_EQ(finding_of(report, "softmax with -inf").value, "0.5, 0, 0.5");
  EXPECT_EQ(finding_of(report, "softmax of large numbers").value, "0.5, 0.5");
}

TEST(Variance, OfASumOfSquaresIsTold) {
  class OnePass final : public KernelSubject {
   public:
    std::string_view name() const override { return "one_pass"; }

   protected:
    void layer_norm(const float* x, float epsilon, std::size_t rows, std::size_t n,
                    float* y) const override {
      for (std::size_t r = 0; r < rows; ++r, x += n, y += n) {
        float sum = 0, squares = 0;
        for (std::size_t i = 0; i < n; ++i) {
          sum += x[i];
          squares += x[i] * x[i];
        }
        const float count = static_cast<float>(n);
        const float mean = sum / count;
        const float variance = std::fmax(squares / count - mean * mean, 0.0f);
        for (std::size_t i = 0; i < n; ++i) y[i] = (x[i] - mean) / std::sqrt(variance + epsilon);
      }
    }
  };
  const std::string what = "variance of layer_norm";
  EXPECT_THAT(finding_of(special(OnePass{}), what).value, HasSubstr("not by deviations"));
  const Registry registry = builtin_subjects();
  EXPECT_EQ(finding_of(special(*registry.find("loops")), what).value,
            "by deviations from the mean");
}

TEST(SpecialValues, ThatReluTakesFromFmaxAreTold) {
  class Fmax final : public KernelSubject {
   public:
    std::string_view name() const override { return "fmax"; }

   protected:
    void activation(Op, float, const float* x, std::size_t count, float* y) const override {
      for (std::size_t i = 0; i < count; ++i) y[i] = std::fmax(x[i], 0.0f);
    }
  };
  EXPECT_THAT(finding_of(special(Fmax{}), "special values of relu").value,
              HasSubstr("NaN -> 0, -NaN -> 0"));
}

TEST(SpecialValues, ThatAreSwallowedAreAFault) {
  const Registry registry = planted_faults();
  EXPECT_TRUE(
      finding_of(special(*registry.find("fault/swallows_nan")), "NaN in a sum").claim_broken);
}

TEST(SpecialValues, ThatAreSkippedWithAZeroAreToldAndAllowed) {
  const WithLinear subject([](const float* x, const float* w, const float* b, std::size_t rows,
                              std::size_t k, std::size_t n, float* y) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < n; ++j) {
        float sum = b == nullptr ? 0 : b[j];
        for (std::size_t i = 0; i < k; ++i)
          if (x[r * k + i] != 0) sum += x[r * k + i] * w[j * k + i];
        y[r * n + j] = sum;
      }
  });
  const Report report = special(subject);
  EXPECT_TRUE(report.claims_hold());
  EXPECT_THAT(finding_of(report, "0 inf in a sum").value, HasSubstr("left out"));
  EXPECT_EQ(finding_of(report, "NaN in a sum").value, "NaN");
}

TEST(SpecialValues, ThatAreFlushedBreakTheClaim) {
  const Registry registry = planted_faults();
  const Report report = special(*registry.find("fault/flushes_subnormals"));
  EXPECT_TRUE(finding_of(report, "subnormals").claim_broken);
  EXPECT_THAT(finding_of(report, "subnormals").value, HasSubstr("DAZ"));
  Arithmetic flushing;
  flushing.flushes_subnormals = true;
  EXPECT_TRUE(special(Emulated("emulated", with(flushing))).claims_hold());
}

TEST(OldContents, OfOutputsThatShowAreAFault) {
  // beta y with beta = 0 and NaN in y.
  const WithLinear subject([](const float* x, const float* w, const float* b, std::size_t rows,
                              std::size_t k, std::size_t n, float* y) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0.0f * y[r * n + j];
        for (std::size_t i = 0; i < k; ++i) sum += x[r * k + i] * w[j * k + i];
        y[r * n + j] = b == nullptr ? sum : sum + b[j];
      }
  });
  const Report report = special(subject);
  EXPECT_TRUE(std::any_of(report.findings.begin(), report.findings.end(),
                          [](const Finding& f) { return f.claim_broken; }));
  EXPECT_FALSE(report.claims_hold());
}

TEST(OldContents, OfAnEmptySumThatIsLeftAloneAreAFault) {
  const WithLinear subject([](const float* x, const float* w, const float* b, std::size_t rows,
                              std::size_t k, std::size_t n, float* y) {
    for (std::size_t r = 0; r < rows && k > 0; ++r)
      for (std::size_t j = 0; j < n; ++j) {
        float sum = b == nullptr ? 0 : b[j];
        for (std::size_t i = 0; i < k; ++i) sum += x[r * k + i] * w[j * k + i];
        y[r * n + j] = sum;
      }
  });
  const Report report = special(subject);
  const auto at = std::find_if(report.findings.begin(), report.findings.end(), [](const auto& f) {
    return f.claim_broken && f.what.find("K = 0") != std::string::npos;
  });
  ASSERT_NE(at, report.findings.end());
  EXPECT_EQ(at->value, "unwritten");
}

}  // namespace
}  // namespace ulpfuzz::probe
