#include "ulpfuzz/shrink/boundary.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "boundary_subjects.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/subjects/claiming.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using turning::Altered;
using turning::Court;
using turning::found_in;
using turning::linear_case;
using turning::LinearCall;
using turning::of;
using turning::off_where;

TEST(Boundaries, NameTheBatchFromWhichItFails) {
  const auto subject = off_where([](const LinearCall& c) { return c.rows > 8; });
  const auto batch = of(found_in(subject, linear_case(9, 2, 1)), "batch");
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->fails, "9");
  EXPECT_EQ(batch->passes, "8");
  EXPECT_THAT(batch->text, StartsWith("fails from batch 9 on (tried up to "));
  EXPECT_THAT(batch->text, HasSubstr("passes at 8, all other sizes as here"));
}

TEST(Boundaries, NameABatchBeyondAGridLimit) {
  const auto subject = off_where([](const LinearCall& c) { return c.rows > 65536; });
  Court court(subject);
  const Shrunk failing = court.failing(linear_case(65537, 1, 1));
  const auto batch = of(boundaries(failing, court.judge(), subject, {.seconds = 60}), "batch");
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->fails, "65537");
  EXPECT_EQ(batch->passes, "65536");
}

TEST(Boundaries, NameAPeriodOfTheInnerDimension) {
  const auto subject = off_where([](const LinearCall& c) { return c.k % 4 == 3; });
  const auto k = of(found_in(subject, linear_case(1, 3, 1)), "inner dimension of linear 2");
  ASSERT_TRUE(k);
  EXPECT_THAT(k->text, StartsWith("fails where K mod 4 is 3 (3, 7, 11), passes at 1, 2, 4, 5"));
}

TEST(Boundaries, NameASingleInnerDimension) {
  const auto subject = off_where([](const LinearCall& c) { return c.k == 33; });
  const auto k = of(found_in(subject, linear_case(1, 33, 1)), "inner dimension of linear 2");
  ASSERT_TRUE(k);
  EXPECT_EQ(k->fails, "33");
  EXPECT_EQ(k->passes, "32");
  EXPECT_THAT(k->text, StartsWith("fails at K = 33 alone, passes at 32 and 34"));
}

TEST(Boundaries, NameTheOutputsUpToWhichItFails) {
  const auto subject = off_where([](const LinearCall& c) { return c.n < 16; });
  const auto n = of(found_in(subject, linear_case(1, 2, 3)), "outputs of linear 2");
  ASSERT_TRUE(n);
  EXPECT_EQ(n->fails, "15");
  EXPECT_EQ(n->passes, "16");
  EXPECT_THAT(n->text, StartsWith("fails up to N = 15 (tried down to 1), passes from 16 on"));
}

// (m + n) k >= 100: each dimension turns where the others leave it to.
TEST(Boundaries, HoldWithAllElseAsItIs) {
  const auto subject = off_where([](const LinearCall& c) { return (c.rows + c.n) * c.k >= 100; });
  const auto all = found_in(subject, linear_case(16, 5, 4));
  const auto batch = of(all, "batch"), k = of(all, "inner"), n = of(all, "outputs");
  ASSERT_TRUE(batch && k && n);
  EXPECT_EQ(batch->fails, "16");
  EXPECT_EQ(batch->passes, "15");
  EXPECT_EQ(k->fails, "5");
  EXPECT_EQ(k->passes, "4");
  EXPECT_EQ(n->fails, "4");
  EXPECT_EQ(n->passes, "3");
}

TEST(Boundaries, NameThePaddingThatMakesItFail) {
  const auto subject = off_where([](const LinearCall& c) { return c.rows > 8; });
  Case c = linear_case(1, 2, 1);
  c.split[0].padding = 8;
  const auto padding = of(found_in(subject, c), "padding of slice 0");
  ASSERT_TRUE(padding);
  EXPECT_EQ(padding->fails, "8");
  EXPECT_EQ(padding->passes, "7");
}

TEST(Boundaries, NameTheAlignmentThatFails) {
  const Altered* self = nullptr;
  const Altered subject([&self](const LinearCall& c) {
    if (self->offset() % 4 == 0) return;
    for (std::size_t i = 0; i < c.rows * c.n; ++i) c.y[i] *= 1.01f;
  });
  self = &subject;
  Case c = linear_case(1, 2, 1);
  c.layout.batch_offset = 1;
  const auto found = of(found_in(subject, c), "batch alignment");
  ASSERT_TRUE(found);
  EXPECT_EQ(
      found->text,
      "fails where the batch's buffers start 1..3, 5..7, 9..11, 13..15 floats after a 64-byte "
      "boundary, passes at 0, 4, 8, 12");
  EXPECT_EQ(found->fails, "1");
  EXPECT_EQ(found->passes, "0");
}

// Every other evaluation of it fails, wherever its buffers lie.
TEST(Boundaries, AreOnNeitherSideOfWhatComesAndGoes) {
  const Altered honest([](const LinearCall&) {});
  unsigned calls = 0;
  const Judge judge = [&calls](const Case& c) {
    Verdict v;
    if (c.batch() >= 4 && calls++ % 2 == 0) v.outcome = Outcome::fail;
    v.failure = FailureClass::nondeterministic;
    return v;
  };
  const Case c = linear_case(4, 1, 1);
  const auto all = boundaries({c, judge(c)}, judge, honest, {.confirmation = {2, 5}});
  ASSERT_EQ(all.size(), 1) << all.back().text;
  EXPECT_THAT(all[0].text, StartsWith("fails from batch 4 on (tried up to "));
  EXPECT_EQ(all[0].passes, "3");
}

// The mask of a relu depends on signs: how often it is wrong, not whether, changes with the size.
TEST(Boundaries, AreNotWhereFailingIsAMatterOfLuck) {
  const auto subject = off_where([](const LinearCall& c) {
    double sum = 0;
    for (std::size_t i = 0; i < c.k; ++i) sum += double{c.x[i]} * c.weight[i];
    return std::fabs(sum) < 1;
  });
  Case c = linear_case(1, 2, 1);
  c.inputs[0].data = {0.25f, 0.5f};
  c.parameters[0].data = {0.75f, 0.5f};
  EXPECT_FALSE(of(found_in(subject, c), "inner"));
}

// Only the reference shows row 1 to be wrong, in the cases in which chance has it looked at.
TEST(Boundaries, AimAtARowThatNoSliceHas) {
  const Altered subject([](const LinearCall& c) {
    if (c.rows >= 5) c.y[(c.rows - 1) * c.n] += 1;
  });
  Case c = linear_case(7, 2, 1);
  Court court(subject);
  Shrunk failing;
  for (int i = 0; i < 100 && !failing.verdict.failed(); ++i) {
    c.inputs[0].data.back() = 1 + 0x1p-10f * static_cast<float>(i);
    failing = court.failing(c);
  }
  ASSERT_TRUE(failing.verdict.failed());
  const auto batch = of(boundaries(failing, court.judge(), subject), "batch");
  ASSERT_TRUE(batch);
  EXPECT_THAT(batch->text, StartsWith("fails from batch 5 on (tried up to "));
  EXPECT_EQ(batch->passes, "4");
}

TEST(Boundaries, OfWhatThrowsNeedNoNumbers) {
  const Altered subject([](const LinearCall& c) {
    if (c.rows > 4) throw std::runtime_error("too many");
  });
  const auto batch = of(found_in(subject, linear_case(5, 1, 0)), "batch");
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->fails, "5");
  EXPECT_EQ(batch->passes, "4");
}

TEST(Boundaries, AreNoneWhereEverythingFails) {
  const auto subject = off_where([](const LinearCall&) { return true; });
  EXPECT_THAT(found_in(subject, linear_case(2, 2, 2)), IsEmpty());
}

TEST(Boundaries, AreNoneOfACaseThatPasses) {
  const auto subject = off_where([](const LinearCall&) { return false; });
  Court court(subject);
  const Shrunk passing = court.failing(linear_case(2, 2, 2));
  EXPECT_THAT(boundaries(passing, court.judge(), subject), IsEmpty());
}

TEST(Boundaries, KeepTheirBudget) {
  const auto subject = off_where([](const LinearCall& c) { return c.rows > 8 && c.k > 2; });
  for (const std::uint64_t most : {0u, 1u, 7u, 40u}) {
    Court court(subject);
    const Shrunk failing = court.failing(linear_case(9, 3, 2));
    court.asked = 0;
    boundaries(failing, court.judge(), subject, {.evaluations = most});
    EXPECT_LE(court.asked, most);
  }
}

TEST(Boundaries, StopWhenCancelled) {
  const auto subject = off_where([](const LinearCall& c) { return c.rows > 8; });
  Court court(subject);
  const Shrunk failing = court.failing(linear_case(9, 2, 2));
  court.asked = 0;
  BoundaryOptions options;
  options.cancelled = [&court] { return court.asked >= 3; };
  boundaries(failing, court.judge(), subject, options);
  EXPECT_LE(court.asked, 3);
}

TEST(Boundaries, AreTheSameTwice) {
  const auto subject = off_where([](const LinearCall& c) { return c.rows > 8 || c.k % 4 == 3; });
  const auto once = found_in(subject, linear_case(2, 3, 2));
  const auto again = found_in(subject, linear_case(2, 3, 2));
  ASSERT_EQ(once.size(), again.size());
  EXPECT_FALSE(once.empty());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].text, again[i].text);
}

// What crashes may not be evaluated by the caller, only through its judge.
TEST(Boundaries, OfACrashNeverCallTheSubject) {
  class Untouchable final : public Subject {
   public:
    std::string_view name() const override { return "untouchable"; }
    void evaluate(const Evaluation&) const override { ADD_FAILURE() << "evaluated"; }
  };
  const Judge judge = [](const Case& c) {
    Verdict v;
    if (c.batch() < 4) return v;
    v.outcome = Outcome::fail;
    v.failure = FailureClass::crash;
    v.cause = "sigsegv";
    return v;
  };
  const Case c = linear_case(4, 1, 1);
  const auto batch = of(boundaries({c, judge(c)}, judge, Untouchable()), "batch");
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->fails, "4");
  EXPECT_EQ(batch->passes, "3");
}

// TF32 where (m + n) k >= 100: once the report is down to 1 x 1, that is a batch of 99.
TEST(Boundaries, OfTheShrunkJaxReportNameItsBatch) {
  const Registry registry = builtin_subjects();
  const Claiming subject(*registry.find("simt/xla-ada"), Arithmetic{});
  const Case report =
      read_case(std::string(ULPFUZZ_SOURCE_DIR) + "/corpus/seeds/jax-vmap-mlp.case.json").value;
  Court court(subject);
  const ShrinkResult least = shrink(report, court.judge());
  const Case& c = least.value;
  ASSERT_EQ(c.parameters.size(), 1);
  const auto n = c.parameters[0].rows, k = c.parameters[0].cols;
  const auto batch = of(boundaries({c, least.verdict}, court.judge(), subject), "batch");
  ASSERT_TRUE(batch);
  const std::uint64_t fails = std::stoul(batch->fails);
  EXPECT_GE((fails + n) * k, 100);
  EXPECT_LT((fails - 1 + n) * k, 100);
  EXPECT_EQ(std::stoul(batch->passes), fails - 1);
}

}  // namespace
}  // namespace ulpfuzz
