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

Options quick() {
  Options o;
  o.inner = {8};
  o.largest_batch = 8;
  o.samples = 20000;
  return o;
}

Finding find(const Report& report, const std::string& what) {
  for (const Finding& f : report.findings)
    if (f.what == what) return f;
  throw std::runtime_error("no finding " + what);
}

/// The number after "largest error ".
double largest_error(const Finding& f) {
  const std::string words = "largest error ";
  return std::stod(f.value.substr(f.value.find(words) + words.size()));
}

TEST(Functions, OfLibmAreMeasuredInUlps) {
  const Registry registry = builtin_subjects();
  const Report report = probe(*registry.find("loops"), quick(), "functions");
  EXPECT_TRUE(report.claims_hold());
  // glibc: expf within 0.502 ulp, tanhf about 2.2.
  EXPECT_LT(largest_error(find(report, "exp")), 0.51);
  EXPECT_GT(largest_error(find(report, "exp")), 0.49);
  EXPECT_GT(largest_error(find(report, "tanh")), 1.5);
  EXPECT_LT(largest_error(find(report, "tanh")), 2.5);
  EXPECT_LT(largest_error(find(report, "elu'")), 0.51);
}

TEST(Functions, ThatAreFastBreakTheClaimAndAreRecognised) {
  Emulation e;
  e.fast_exp = e.fast_tanh = true;
  const Report report = probe(Claiming(e, {}), quick(), "functions");
  const Finding exp = find(report, "exp");
  EXPECT_TRUE(exp.claim_broken);
  EXPECT_THAT(exp.value, HasSubstr("__expf"));
  EXPECT_GT(largest_error(exp), 20);
  const Finding tanh = find(report, "tanh");
  EXPECT_TRUE(tanh.claim_broken);
  EXPECT_THAT(tanh.value, HasSubstr("tanh.approx"));
}

TEST(Functions, ThatAreFastKeepTheClaimOfFastOnes) {
  Emulation e;
  e.fast_exp = e.fast_tanh = true;
  Arithmetic claim;
  claim.elementary = fast_functions;
  const Report report = probe(Claiming(e, claim), quick(), "functions");
  EXPECT_FALSE(find(report, "exp").claim_broken) << find(report, "exp").value;
  EXPECT_FALSE(find(report, "tanh").claim_broken) << find(report, "tanh").value;
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
  const Report report = probe(OtherGelu{}, quick(), "functions");
  EXPECT_TRUE(find(report, "gelu_erf").claim_broken);
  EXPECT_FALSE(find(report, "gelu_tanh").claim_broken);
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
  const Report report = probe(OtherTail{}, quick(), "functions");
  EXPECT_THAT(find(report, "functions and the place in the array").value, HasSubstr("tanh"));
  const Registry registry = builtin_subjects();
  EXPECT_EQ(find(probe(*registry.find("loops"), quick(), "functions"),
                 "functions and the place in the array")
                .value,
            "no influence");
}

}  // namespace
}  // namespace ulpfuzz::probe
