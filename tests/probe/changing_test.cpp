#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe_subjects.hpp"
#include "ulpfuzz/probe/probe.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::probe {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* untold = "could not be told: the same call gives other bits";

/// Another order from call to call, for rows of more than 8 terms; it claims no other.
class Changing final : public Subject {
 public:
  explicit Changing(bool claims_to_repeat) : claims_to_repeat_(claims_to_repeat) {}
  std::string_view name() const override { return "changing"; }
  bool deterministic() const override { return claims_to_repeat_; }
  void evaluate(const Evaluation& e) const override {
    forward_ = !forward_;
    (forward_ ? one_ : other_).evaluate(e);
  }

 private:
  bool claims_to_repeat_;
  mutable bool forward_ = false;
  Emulated one_{"one", with_order(Summation::Order::sequential)};
  Emulated other_{"other", with_order(Summation::Order::pairwise)};
};

Report look(const Subject& subject, std::string_view part) {
  Options o;
  o.inner = {64};
  o.largest_batch = 40;
  return probe(subject, o, part);
}

TEST(Changing, SumsBreakNoClaimAndSayWhyNothingIsTold) {
  const Report report = look(Changing(false), "sums");
  EXPECT_THAT(report.findings, Each(Field(&Finding::claim_broken, false)));
  EXPECT_THAT(report.findings, Contains(AllOf(Field(&Finding::what, "operands of products"),
                                              Field(&Finding::value, HasSubstr(untold)))));
  EXPECT_THAT(report.findings, Contains(AllOf(Field(&Finding::what, "FMA"),
                                              Field(&Finding::value, HasSubstr(untold)))));
  EXPECT_THAT(report.findings, Contains(Field(&Finding::what, "repeatability")));
  EXPECT_THAT(report.findings, Not(Contains(Field(&Finding::value, HasSubstr("unknown")))));
}

TEST(Changing, BatchesAreOneClass) {
  const Report report = look(Changing(false), "batch sizes");
  ASSERT_THAT(report.batch_classes, SizeIs(1));
  EXPECT_EQ(compact(report.batch_classes[0].sizes), "1-40");
  EXPECT_THAT(report.batch_classes[0].behaviour, HasSubstr(untold));
  EXPECT_TRUE(report.claims_hold());
}

TEST(Changing, SumsAreABreachOfWhatClaimsToRepeatItself) {
  const auto broken = [](const char* what) {
    return Contains(
        AllOf(Field(&Finding::what, HasSubstr(what)), Field(&Finding::claim_broken, true)));
  };
  EXPECT_THAT(look(Changing(true), "sums").findings, broken("repeatability"));
  EXPECT_THAT(look(Changing(true), "batch sizes").findings, broken("repeatability"));
}

TEST(Changing, AtomicsKeepTheirClaimInFewLines) {
  const Registry registry = builtin_subjects();
  const Subject* subject = registry.find("simt/atomics");
  ASSERT_NE(subject, nullptr);
  for (const char* part : {"sums", "batch sizes"}) {
    const Report report = look(*subject, part);
    EXPECT_TRUE(report.claims_hold()) << part;
    EXPECT_LE(report.batch_classes.size(), 3u);
    for (const Finding& f : report.findings)
      EXPECT_THAT(f.value, Not(AnyOf(HasSubstr("unknown"), HasSubstr("no known")))) << f.what;
  }
}

TEST(OuterProducts, ThatDifferByShapeAreReportedByShape) {
  const Registry registry = builtin_subjects();
  const Subject* subject = registry.find("simt/xla-ada");
  ASSERT_NE(subject, nullptr);
  const Report report = look(*subject, "sums");
  const auto outer = [](const char* value, const char* shape) {
    return Contains(AllOf(Field(&Finding::what, "operands of outer products"),
                          Field(&Finding::claim_broken, false),
                          Field(&Finding::value, AllOf(HasSubstr(value), HasSubstr(shape)))));
  };
  EXPECT_THAT(report.findings, outer("fp32, as they are", "1 -> 16"));
  EXPECT_THAT(report.findings, outer("tf32, to nearest away", "1 -> 256"));
}

}  // namespace
}  // namespace ulpfuzz::probe
