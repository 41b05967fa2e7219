#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "probe_subjects.hpp"
#include "ulpfuzz/probe/probe.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::probe {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::SizeIs;

Report batches(const Subject& subject, std::size_t largest = 40) {
  Options o;
  o.inner = {16};
  o.largest_batch = largest;
  return probe(subject, o, "batch sizes");
}

/// Sums each row forward or backward.
WithLinear by_row(bool (*backward)(std::size_t row, std::size_t rows)) {
  return WithLinear([=](const float* x, const float* w, const float* b, std::size_t rows,
                        std::size_t k, std::size_t n, float* y) {
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::size_t i = 0; i < k; ++i) {
          const std::size_t at = backward(r, rows) ? k - 1 - i : i;
          sum += x[r * k + at] * w[j * k + at];
        }
        y[r * n + j] = b == nullptr ? sum : sum + b[j];
      }
  });
}

TEST(BatchSizes, OfOneBehaviourAreOneClass) {
  const Registry registry = builtin_subjects();
  const Report report = batches(*registry.find("loops"));
  ASSERT_THAT(report.batch_classes, SizeIs(1));
  EXPECT_EQ(compact(report.batch_classes[0].sizes), "1-40");
  EXPECT_EQ(report.batch_classes[0].behaviour, "all rows: sequential, bias last");
}

TEST(BatchSizes, ArePartedWhereTheOrderChanges) {
  const Report report = batches(by_row([](std::size_t, std::size_t rows) { return rows > 11; }));
  ASSERT_THAT(report.batch_classes, SizeIs(2));
  EXPECT_EQ(compact(report.batch_classes[0].sizes), "1-11");
  EXPECT_EQ(compact(report.batch_classes[1].sizes), "12-40");
  EXPECT_THAT(report.batch_classes[1].behaviour, HasSubstr("from the last term"));
}

TEST(BatchSizes, WithARestOfATileSayWhichRowsDiffer) {
  const Report report =
      batches(by_row([](std::size_t row, std::size_t rows) { return row >= rows / 4 * 4; }));
  ASSERT_THAT(report.batch_classes, SizeIs(3));
  EXPECT_EQ(compact(report.batch_classes[0].sizes), "1-3");
  EXPECT_EQ(compact(report.batch_classes[1].sizes), "4, 8 .. 40");
  EXPECT_EQ(compact(report.batch_classes[2].sizes), "5-7, 9-11 .. 37-39");
  EXPECT_THAT(report.batch_classes[2].behaviour,
              AllOf(HasSubstr("all but the last (batch mod 4) rows: sequential, bias last"),
                    HasSubstr("the last (batch mod 4) rows: sequential from the last term")));
  EXPECT_THAT(report.findings, Contains(AllOf(Field(&Finding::what, "tiles of rows"),
                                              Field(&Finding::value, "4 rows"))));
}

TEST(BatchSizes, WithTwoHalvesOfATileSayWhereItParts) {
  const Report report = batches(by_row([](std::size_t row, std::size_t) { return row % 8 >= 6; }));
  EXPECT_THAT(report.findings,
              Contains(AllOf(Field(&Finding::what, "tiles of rows"),
                             Field(&Finding::value, HasSubstr("8 rows, whose rows from 6 on")))));
}

TEST(BatchSizes, ThatFailAreOneFindingAndTheRestIsLookedAt) {
  const Registry registry = planted_faults();
  const Report report = batches(*registry.find("fault/throws_above_batch"));
  ASSERT_THAT(report.findings, SizeIs(1));
  EXPECT_EQ(report.findings[0].what, "linear+bias 16 -> 16, batch 5-40");
  EXPECT_EQ(report.findings[0].value, "exception");
  EXPECT_TRUE(report.findings[0].claim_broken);
  ASSERT_THAT(report.batch_classes, SizeIs(1));
  EXPECT_EQ(compact(report.batch_classes[0].sizes), "1-4");
}

TEST(Compact, ShortensRangesAndProgressions) {
  using Sizes = std::vector<std::size_t>;
  EXPECT_EQ(compact(Sizes{}), "");
  EXPECT_EQ(compact(Sizes{1}), "1");
  EXPECT_EQ(compact(Sizes{1, 2, 3, 5, 8, 9}), "1-3, 5, 8-9");
  EXPECT_EQ(compact(Sizes{8, 12, 16}), "8, 12, 16");
  EXPECT_EQ(compact(Sizes{8, 12, 16, 20, 24}), "8, 12 .. 24");
  EXPECT_EQ(compact(Sizes{5, 6, 9, 10, 13, 14, 17}), "5-6, 9-10 .. 17");
}

}  // namespace
}  // namespace ulpfuzz::probe
