#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "cases.hpp"
#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {
namespace {

using properties::batched_vs_sliced;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

class Explained : public testing::Test {
 protected:
  Registry faults = planted_faults();
  const Subject& fault = *faults.find("fault/tf32_above_8");
  Case c = trials::mlp({6, 6, 4}, 12);
  Verdict verdict = trials::check(batched_vs_sliced, c, fault);
};

TEST_F(Explained, SaysWhatWasComparedWhatItGaveAndWhatWasAllowed) {
  const std::string text = explain(batched_vs_sliced, c, fault, verdict);
  EXPECT_THAT(text, StartsWith("FAIL batched_vs_sliced, subject fault/tf32_above_8: beyond_bound, "
                               "consistent with tf32 operands\n"));
  EXPECT_THAT(text, HasSubstr("worst element output[row "));
  EXPECT_THAT(text, HasSubstr("batch of 12 gives "));
  EXPECT_THAT(text, HasSubstr("ulp apart"));
  EXPECT_THAT(text, HasSubstr("(sound: any order of summation"));
  EXPECT_THAT(text, HasSubstr("share "));
  EXPECT_THAT(text, HasSubstr("reference "));
  EXPECT_THAT(text, HasSubstr(describe(c)));
  EXPECT_THAT(text,
              HasSubstr("  fp environment: " + FpEnvironment{}.describe() + " before each call\n"));
}

TEST(Explain, SaysWhatASubjectMadeOfTheFloatingPointEnvironment) {
  const Registry faults = planted_faults();
  const Subject& fault = *faults.find("fault/leaves_ftz_on");
  const Case c = trials::mlp({2, 2}, 1);
  const Verdict verdict = trials::check(batched_vs_sliced, c, fault);
  ASSERT_EQ(verdict.failure, FailureClass::fp_environment);
  const std::string text = explain(batched_vs_sliced, c, fault, verdict);
  EXPECT_THAT(text, HasSubstr("before each call, changed by one: see reason\n"));
  EXPECT_THAT(text, HasSubstr(FpEnvironment{.ftz = true, .daz = true}.describe()));
}

TEST(Explain, CountsFlushedUlpsForASubjectThatFlushes) {
  class Flushes final : public trials::Plain {
    Arithmetic arithmetic() const override {
      Arithmetic a;
      a.flushes_subnormals = true;
      return a;
    }
    void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
                std::size_t k, std::size_t n, float* y) const override {
      KernelSubject::linear(x, weight, bias, rows, k, n, y);
      if (rows > 1) y[0] = 1;
    }
  };
  Case c = trials::mlp({2, 2}, 3);
  for (Tensor& t : c.inputs) std::fill(t.data.begin(), t.data.end(), 0.0f);
  for (Tensor& t : c.parameters) std::fill(t.data.begin(), t.data.end(), 0.0f);
  const Verdict v = trials::check(batched_vs_sliced, c, Flushes());
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.worst.ulps, ulp_distance_flushed(0, 1));
  EXPECT_NE(v.worst.ulps, ulp_distance(0, 1));
}

TEST_F(Explained, NamesItsBucketFitForAFolder) {
  EXPECT_EQ(bucket_id(batched_vs_sliced, fault, verdict),
            "batched-vs-sliced-fault-tf32-above-8-beyond-bound-linear-consistent-with-tf32-"
            "operands");
}

TEST(Explain, SaysWhyACaseIsSkipped) {
  Verdict verdict;
  verdict.outcome = Outcome::skip;
  verdict.reason = "no CUDA device";
  const std::string text =
      explain(batched_vs_sliced, trials::mlp({2, 2}, 1), trials::Plain(), verdict);
  EXPECT_THAT(text, StartsWith("SKIP batched_vs_sliced, subject plain\n"));
  EXPECT_THAT(text, HasSubstr("reason: no CUDA device"));
}

TEST(Catalogue, FindsEachPropertyByItsUniqueName) {
  std::set<std::string_view> names;
  for (const Property* p : properties::all()) {
    EXPECT_EQ(properties::find(p->name), p);
    EXPECT_FALSE(p->claim.empty());
    EXPECT_NE(p->check, nullptr);
    EXPECT_TRUE(names.insert(p->name).second);
  }
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(properties::find("no_such_property"), nullptr);
}

}  // namespace
}  // namespace ulpfuzz
