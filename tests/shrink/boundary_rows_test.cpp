#include "boundary_rows.hpp"

#include <gmock/gmock.h>

#include "boundary_subjects.hpp"
#include "ulpfuzz/shrink/boundary.hpp"

namespace ulpfuzz {
namespace {

using ::testing::StartsWith;
using turning::Court;
using turning::linear_case;
using turning::misplaced;

std::optional<Boundary> rows_of(const Subject& subject, const Case& c) {
  Court court(subject);
  const Shrunk failing = court.failing(c);
  EXPECT_TRUE(failing.verdict.failed());
  for (Boundary& b : boundaries(failing, court.judge(), subject))
    if (b.what == "rows") return std::move(b);
  return std::nullopt;
}

/// A batch of which all rows are compared.
Case whole_batch(std::uint32_t batch) {
  Case c = linear_case(batch, 3, 2);
  c.split.clear();
  for (std::uint32_t r = 0; r < batch; ++r) c.split.push_back({{r}, 0});
  return c;
}

TEST(Rows, GetTheResultOfTheRowBefore) {
  const auto s = misplaced([](std::size_t b, std::size_t) { return b == 0 ? 0 : b - 1; });
  const auto found = rows_of(s, whole_batch(2));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, StartsWith("row b gets the result of row b - 1: rows from 1 on"));
  EXPECT_EQ(found->fails, "row 1");
  EXPECT_EQ(found->passes, "row 0");
}

TEST(Rows, GetTheResultOfTheRowModSixteen) {
  const auto s = misplaced([](std::size_t b, std::size_t) { return b % 16; });
  const auto found = rows_of(s, whole_batch(17));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, "row b gets the result of row b mod 16 (batches of 41 and 52)");
  EXPECT_EQ(found->fails, "row 16");
  EXPECT_EQ(found->passes, "row 15");
}

TEST(Rows, TheLastGetsTheResultOfTheFirst) {
  const auto s =
      misplaced([](std::size_t b, std::size_t n) { return n > 1 && b + 1 == n ? 0 : b; });
  const auto found = rows_of(s, whole_batch(2));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, StartsWith("row b gets the result of row 0: the last row"));
}

TEST(Rows, GetEachOthersResults) {
  // In batches of more than 16 the last row and that row mod 16 change places.
  const auto s = misplaced([](std::size_t b, std::size_t n) {
    if (n <= 16) return b;
    if (b == n - 1) return b % 16;
    return b == (n - 1) % 16 ? n - 1 : b;
  });
  const auto found = rows_of(s, whole_batch(17));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, StartsWith("rows b and b mod 16 get each other's results"));
}

TEST(Rows, GetTheResultOfTheMirroredRow) {
  const auto s = misplaced([](std::size_t b, std::size_t n) { return n - 1 - b; });
  const auto found = rows_of(s, whole_batch(2));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, StartsWith("row b gets the result of row n - 1 - b of n"));
}

TEST(Rows, AreWrongWithNobodysResult) {
  const turning::Altered s([](const turning::LinearCall& c) {
    for (std::size_t i = 8 * c.n; i < c.rows * c.n; ++i) c.y[i] = -3 * c.y[i] + 1;
  });
  const auto found = rows_of(s, whole_batch(9));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, StartsWith("rows from 8 on wrong, with the result of no other row"));
}

TEST(Rows, StayUnwritten) {
  class Forgets final : public Subject {
   public:
    std::string_view name() const override { return "forgets"; }
    void evaluate(const Evaluation& e) const override {
      const std::size_t width = e.network.node(e.network.outputs()[0]).shape.size();
      const std::vector<float> before(e.outputs[0], e.outputs[0] + e.batch * width);
      honest_.evaluate(e);
      for (std::size_t i = 15 * width; i < before.size(); ++i) e.outputs[0][i] = before[i];
    }

   private:
    turning::Altered honest_{[](const turning::LinearCall&) {}};
  };
  const auto found = rows_of(Forgets(), whole_batch(16));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, StartsWith("rows from 15 on left unwritten"));
  EXPECT_EQ(found->fails, "row 15");
}

TEST(Rows, OfACaseThatIsOnlyLessExactAreNotMixedUp) {
  const auto s = turning::off_where([](const turning::LinearCall& c) { return c.rows > 1; });
  EXPECT_FALSE(rows_of(s, whole_batch(2)));
}

}  // namespace
}  // namespace ulpfuzz
