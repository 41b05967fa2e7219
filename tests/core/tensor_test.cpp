#include "ulpfuzz/core/tensor.hpp"

#include <gtest/gtest.h>

#include <bit>

namespace ulpfuzz {
namespace {

TEST(Tensor, RowsLieOneAfterTheOther) {
  const Tensor t(2, 3, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(t.row(1).size(), 3u);
  EXPECT_EQ(t.row(1)[0], 4.0f);
  EXPECT_EQ(t.row(0).data(), t.data.data());
  EXPECT_EQ(Tensor(2, 3).data, std::vector<float>(6, 0.0f));
}

TEST(TensorIdentical, ComparesShapeAndBits) {
  const float nan1 = std::bit_cast<float>(0x7fc00001u);
  const float nan2 = std::bit_cast<float>(0x7fc00002u);
  EXPECT_TRUE(identical(Tensor(1, 2, {nan1, 0.0f}), Tensor(1, 2, {nan1, 0.0f})));
  EXPECT_FALSE(identical(Tensor(1, 1, {nan1}), Tensor(1, 1, {nan2})));
  EXPECT_FALSE(identical(Tensor(1, 1, {0.0f}), Tensor(1, 1, {-0.0f})));
  EXPECT_FALSE(identical(Tensor(1, 2), Tensor(2, 1)));
  EXPECT_FALSE(identical(Tensor(0, 2), Tensor(2, 0)));
  EXPECT_TRUE(identical(Tensor(0, 2), Tensor(0, 2)));
}

}  // namespace
}  // namespace ulpfuzz
