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
using ::testing::Not;

Options quick_functions() {
  Options o;
  o.inner = {8};
  o.largest_batch = 8;
  o.samples = 20000;
  return o;
}

/// The number after "largest error ".
double largest_error(const Finding& f) {
  const std::string words = "largest error ";
  return std::stod(f.value.substr(f.value.find(words) + words.size()));
}

TEST(Functions, OfLibmAreMeasuredInUlps) {
  const Registry registry = builtin_subjects();
  const Report report = probe(*registry.find("loops"), quick_functions(), "functions");
  EXPECT_TRUE(report.claims_hold());
  // glibc: expf within 0.502 ulp, tanhf about 2.2.
  EXPECT_LT(largest_error(finding_of(report, "exp")), 0.51);
  EXPECT_GT(largest_error(finding_of(report, "exp")), 0.49);
  EXPECT_GT(largest_error(finding_of(report, "tanh")), 1.5);
  EXPECT_LT(largest_error(finding_of(report, "tanh")), 2.5);
  EXPECT_LT(largest_error(finding_of(report, "elu'")), 0.51);
}

TEST(Functions, ThatAreFastBreakTheClaimAndAreRecognised) {
  Emulation e;
  e.fast_exp = e.fast_tanh = true;
  const Report report = probe(Claiming(e, {}), quick_functions(), "functions");
  const Finding exp = finding_of(report, "exp");
  EXPECT_TRUE(exp.claim_broken);
  EXPECT_THAT(exp.value, HasSubstr("__expf"));
  EXPECT_GT(largest_error(exp), 20);
  const Finding tanh = finding_of(report, "tanh");
  EXPECT_TRUE(tanh.claim_broken);
  EXPECT_THAT(tanh.value, HasSubstr("tanh.approx"));
}

TEST(Functions, ThatAreFastKeepTheClaimOfFastOnes) {
  Emulation e;
  e.fast_exp = e.fast_tanh = true;
  Arithmetic claim;
  claim.elementary = fast_functions;
  const Report report = probe(Claiming(e, claim), quick_functions(), "functions");
  EXPECT_FALSE(finding_of(report, "exp").claim_broken) << finding_of(report, "exp").value;
  EXPECT_FALSE(finding_of(report, "tanh").claim_broken) << finding_of(report, "tanh").value;
}

TEST(Functions, OfTheOtherGeluAreNotThoseClaimed) {
  class OtherGelu final : public KernelSubject {
   public:
    std::string_view name() const override { return "other_gelu"; }

   protected:
    void activation(Op phi, float alpha, const float* x, std::size_t count,
                    float* y) const override {
      KernelSubject::activation(phi == Op::gelu_erf ? Op::gelu_tanh : phi, alpha, x, count, y);
    }
  };
  const Report report = probe(OtherGelu{}, quick_functions(), "functions");
  EXPECT_TRUE(finding_of(report, "gelu_erf").claim_broken);
  EXPECT_FALSE(finding_of(report, "gelu_tanh").claim_broken);
}

TEST(Functions, ThatDifferAtTheEndOfAnArrayAreTold) {
  class OtherTail final : public KernelSubject {
   public:
    std::string_view name() const override { return "other_tail"; }

   protected:
    void activation(Op phi, float alpha, const float* x, std::size_t count,
                    float* y) const override {
      KernelSubject::activation(phi, alpha, x, count, y);
      if (phi == Op::tanh && count % 4 != 0) y[count - 1] = std::nextafter(y[count - 1], 0.0f);
    }
  };
  const Report report = probe(OtherTail{}, quick_functions(), "functions");
  EXPECT_THAT(finding_of(report, "functions and the place in the array").value, HasSubstr("tanh"));
  const Registry registry = builtin_subjects();
  EXPECT_EQ(finding_of(probe(*registry.find("loops"), quick_functions(), "functions"),
                       "functions and the place in the array")
                .value,
            "no influence");
}

}  // namespace
}  // namespace ulpfuzz::probe
