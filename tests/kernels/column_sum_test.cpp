#include <gmock/gmock.h>

#include <stdexcept>

#include "row_runs.hpp"

namespace ulpfuzz::kernels {
namespace {

// The sum of terms by `rows_at_once` threads, then by halves.
float column_part_sum(const Floats& terms, std::size_t rows_at_once) {
  Floats sums(rows_at_once, 0.0f);
  for (std::size_t r = 0; r < terms.size(); ++r)
    sums[r % rows_at_once] = sums[r % rows_at_once] + terms[r];
  for (; sums.size() > 1; sums.resize(sums.size() / 2))
    for (std::size_t s = 0; s < sums.size() / 2; ++s) sums[s] = sums[s] + sums[s + sums.size() / 2];
  return sums[0];
}

Floats parts_of_column(const ColumnSum& sum, std::size_t entry, std::size_t column) {
  Floats parts;
  std::size_t r = 0;
  for (std::size_t part = 0; part < sum.parts; ++part) {
    const std::size_t length = sum.rows / sum.parts + (part < sum.rows % sum.parts ? 1 : 0);
    Floats terms;
    for (const std::size_t end = r + length; r < end; ++r)
      terms.push_back(sum.x[(entry * sum.rows + r) * sum.n + column]);
    parts.push_back(column_part_sum(terms, sum.rows_at_once));
  }
  return parts;
}

Floats expected_sums(const ColumnSum& sum) {
  Floats y;
  for (std::size_t e = 0; e < sum.entries; ++e)
    for (std::size_t j = 0; j < sum.n; ++j) {
      const Floats parts = parts_of_column(sum, e, j);
      float total = parts[0];
      for (std::size_t p = 1; p < parts.size(); ++p) total = total + parts[p];
      y.push_back(total);
    }
  return y;
}

TEST(ColumnSum, AddsInTheStatedOrder) {
  std::mt19937 random(1);
  for (const std::size_t entries : {0, 1, 3})
    for (const std::size_t rows : {0, 1, 2, 7, 8, 9, 100})
      for (const std::size_t n : {0, 1, 31, 32, 33, 70})
        for (const std::uint32_t at_once : {1u, 4u, 8u})
          for (const std::uint32_t parts : {1u, 2u, 3u, 16u})
            for (const auto values : {Values::moderate, Values::special}) {
              const Floats x = draw(values, entries * rows * n, random);
              const ColumnSum sum{.x = x.data(),
                                  .entries = entries,
                                  .rows = rows,
                                  .n = n,
                                  .y = nullptr,
                                  .rows_at_once = at_once,
                                  .parts = parts};
              ASSERT_NO_FATAL_FAILURE(expect_result(sum, expected_sums(sum),
                                                    std::to_string(rows) + " rows of " +
                                                        std::to_string(n) + ", " +
                                                        std::to_string(at_once) + " at once"));
            }
}

ColumnSum atomic(const Floats& x, std::size_t n, std::uint32_t parts) {
  return {.x = x.data(),
          .entries = 1,
          .rows = x.size() / n,
          .n = n,
          .y = nullptr,
          .rows_at_once = 4,
          .parts = parts,
          .combination = Combination::atomic};
}

TEST(ColumnSum, AddsItsPartsToPlusZeroByAtomicsFirstToLastOnAHost) {
  std::mt19937 random(2);
  const std::size_t n = 40;
  const Floats x = draw(Values::moderate, 90 * n, random);
  for (const std::uint32_t parts : {1u, 5u}) {
    const ColumnSum sum = atomic(x, n, parts);
    const Floats garbage(n, std::numeric_limits<float>::quiet_NaN());
    expect_bits(on_host(sum, garbage), expected_sums(sum), "atomic");
  }
}

TEST(ColumnSum, OfAtomicsIsSomeOrderOfItsPartsWhereBlocksAreShuffled) {
  const std::size_t n = 64, parts = 3;
  std::mt19937 random(3);
  const Floats x = draw(Values::moderate, 30 * n, random);
  const ColumnSum sum = atomic(x, n, parts);
  const auto device = make_host_device(BlockOrder::shuffled);
  bool differs = false;
  for (int repetition = 0; repetition < 20; ++repetition) {
    const Floats y =
        result(sum, Floats(n), [&](const ColumnSum& l, float*) { device->launch(l, nullptr); });
    for (std::size_t j = 0; j < n; ++j) {
      const Floats p = parts_of_column(sum, 0, j);
      const Floats orders = {(p[0] + p[1]) + p[2], (p[0] + p[2]) + p[1], (p[1] + p[2]) + p[0]};
      EXPECT_THAT(orders, testing::Contains(y[j]));
      differs |= y[j] != orders[0];
    }
  }
  EXPECT_TRUE(differs);
}

TEST(ColumnSum, RefusesOtherNumbersOfRowsAtOnceAndNoParts) {
  const Floats x(6);
  Floats y(2);
  ColumnSum sum = atomic(x, 2, 1);
  sum.y = y.data();
  const auto device = make_host_device();
  sum.rows_at_once = 2;
  EXPECT_THROW(device->launch(sum, nullptr), std::invalid_argument);
  sum.parts = 2;
  y = {1, 2};
  EXPECT_THROW(device->launch(sum, nullptr), std::invalid_argument);
  EXPECT_EQ(y, (Floats{1, 2}));  // before anything is written
  sum.rows_at_once = 4;
  sum.parts = 0;
  EXPECT_THROW(device->launch(sum, nullptr), std::invalid_argument);
}

}  // namespace
}  // namespace ulpfuzz::kernels
