#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "cases.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {
namespace {

using properties::batched_vs_sliced;
using testing::HasSubstr;
using trials::check;

constexpr CheckOptions strict{.bitwise = true};

/// Sums from the right when there are more than `limit` rows.
class ChangesOrder final : public trials::Plain {
 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    if (rows < 4) return KernelSubject::linear(x, weight, bias, rows, k, n, y);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < n; ++j) {
        float sum = bias == nullptr ? 0 : bias[j];
        for (std::size_t i = k; i-- > 0;) sum += x[r * k + i] * weight[j * k + i];
        y[r * n + j] = sum;
      }
    }
  }
};

TEST(Bitwise, PassesEqualBits) {
  const Verdict v = check(batched_vs_sliced, trials::mlp({8, 8}, 6), trials::Plain(), strict);
  EXPECT_EQ(v.outcome, Outcome::pass);
  EXPECT_EQ(v.element_count(), 48u);
}

/// NaNs of the other sign when there are more than two rows.
class ChangesSignOfNaN final : public trials::Plain {
 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    KernelSubject::linear(x, weight, bias, rows, k, n, y);
    for (std::size_t i = 0; i < rows * n; ++i)
      if (std::isnan(y[i])) y[i] = std::copysign(y[i], rows > 2 ? -1.0f : 1.0f);
  }
};

TEST(Bitwise, TakesEveryNaNForTheSame) {
  Case c = trials::mlp({8, 8}, 6);
  c.inputs[0].data[3] = std::nanf("");
  const Verdict v = check(batched_vs_sliced, c, ChangesSignOfNaN(), strict);
  EXPECT_EQ(v.outcome, Outcome::pass) << v.reason;
  EXPECT_EQ(v.element_count(), 48u);
}

TEST(Bitwise, NamesTheBatchSizeAndTheFirstOp) {
  const Case c = trials::mlp({8, 8, 3}, 6);
  EXPECT_EQ(check(batched_vs_sliced, c, ChangesOrder()).outcome, Outcome::pass);
  const Verdict v = check(batched_vs_sliced, c, ChangesOrder(), strict);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.failure, FailureClass::not_bitwise);
  EXPECT_EQ(v.first_op, "linear");
  EXPECT_THAT(v.reason,
              HasSubstr("rows change from batch 4 on (at batch 3 they have the bits that they "
                        "have in a batch of two and alone); first op linear(8 -> 8)"));
  EXPECT_EQ(v.cause, "batch size");
  EXPECT_EQ(v.worst.path_a, "batch of 6");
  EXPECT_EQ(v.worst.path_b, "slice row 0");
}

/// Another path for a single row, as gemv beside gemm.
class SingleRowPath final : public trials::Plain {
 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    KernelSubject::linear(x, weight, bias, rows, k, n, y);
    if (rows == 1) y[0] = std::nextafter(y[0], 1000.0f);
  }
};

TEST(Bitwise, TellsASingleRowPathFromABatchSize) {
  const Case c = trials::mlp({8, 8}, 6);
  const Verdict v = check(batched_vs_sliced, c, SingleRowPath(), strict);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.cause, "single row");
  EXPECT_THAT(v.reason, HasSubstr("a row alone has other bits, batches of 2 to 6 agree"));
}

/// Rounds otherwise where its output does not lie on a 64-byte boundary.
class DependsOnAlignment final : public trials::Plain {
 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    KernelSubject::linear(x, weight, bias, rows, k, n, y);
    if (std::bit_cast<std::uintptr_t>(y) % 64 == 0) return;
    for (std::size_t i = 0; i < rows * n; ++i) y[i] = std::nextafter(y[i], 1000.0f);
  }
};

TEST(Bitwise, NamesThePlaceInMemoryWhereTheNumberOfRowsExplainsNothing) {
  for (const std::uint32_t batch : {1u, 6u}) {
    Case c = trials::mlp({8, 8}, batch);
    EXPECT_EQ(check(batched_vs_sliced, c, DependsOnAlignment(), strict).outcome, Outcome::pass);
    c.layout.slice_offset = 1;
    const Verdict v = check(batched_vs_sliced, c, DependsOnAlignment(), strict);
    ASSERT_EQ(v.outcome, Outcome::fail);
    EXPECT_EQ(v.cause, "place");
    EXPECT_THAT(v.reason, HasSubstr("the number of rows does not explain it"));
  }
}

/// Rounds otherwise where its input does not lie on a 16-byte boundary.
class DependsOnInputAlignment final : public trials::Plain {
 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    KernelSubject::linear(x, weight, bias, rows, k, n, y);
    if (std::bit_cast<std::uintptr_t>(x) % 16 == 0) return;
    for (std::size_t i = 0; i < rows * n; ++i) y[i] = std::nextafter(y[i], 1000.0f);
  }
};

TEST(Bitwise, FindsTheFirstOpThatDependsOnWhereItsInputLies) {
  Network n;
  n.output(n.activation(Op::relu, n.linear(n.input(8), n.parameter(4, 8))));
  Case c = trials::with_data(std::move(n), 1, 1);
  c.layout = {.batch_offset = 0, .slice_offset = 1};
  for (float& x : c.parameters[0].data) x = std::fabs(x);
  for (float& x : c.inputs[0].data) x = std::fabs(x);
  const Verdict v = check(batched_vs_sliced, c, DependsOnInputAlignment(), strict);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.first_op, "linear");
}

/// Rounds the second row otherwise, however many there are.
class DependsOnPosition final : public trials::Plain {
 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    KernelSubject::linear(x, weight, bias, rows, k, n, y);
    if (rows > 1) y[n] = std::nextafter(y[n], 1000.0f);
  }
};

TEST(Bitwise, NamesThePlaceInTheBatch) {
  const Verdict v = check(batched_vs_sliced, trials::mlp({8, 8}, 6), DependsOnPosition(), strict);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.cause, "place");
  EXPECT_THAT(v.reason, HasSubstr("their bits depend on their place in it"));
}

TEST(Bitwise, FindsTheBatchSizeOfSlicesThatArePadded) {
  Case c = trials::mlp({8, 8}, 1);
  c.split = {{{0}, 4}};
  const Verdict v = check(batched_vs_sliced, c, ChangesOrder(), strict);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.cause, "batch size");
}

TEST(Bitwise, TellsWhatIsNotTheSameTwice) {
  const Registry faults = planted_faults();
  const Verdict v = check(batched_vs_sliced, trials::mlp({8, 8}, 6),
                          *faults.find("fault/nondeterministic"), strict);
  ASSERT_EQ(v.outcome, Outcome::fail);
  EXPECT_EQ(v.failure, FailureClass::nondeterministic);
}

TEST(Bitwise, IsVacuousWithoutRowsToCompare) {
  Case c = trials::mlp({8, 8}, 6);
  c.split.clear();
  EXPECT_EQ(check(batched_vs_sliced, c, trials::Plain(), strict).outcome, Outcome::vacuous);
}

}  // namespace
}  // namespace ulpfuzz
