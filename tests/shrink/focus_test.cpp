#include <gtest/gtest.h>

#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz {
namespace {

generators::Focus focus_at(std::string where) {
  Verdict verdict;
  verdict.worst.where = std::move(where);
  return focus_of(verdict);
}

TEST(Focus, IsTheRowAndOutputOfTheWorstElement) {
  EXPECT_EQ(focus_at("output[row 3][column 2]").row, 3);
  EXPECT_EQ(focus_at("output[row 3][column 2]").output, 2);
  EXPECT_EQ(focus_at("d output[5] / d parameter 0[1][2], row 4").row, 4);
  EXPECT_EQ(focus_at("d output[5] / d parameter 0[1][2], row 4").output, 5);
}

TEST(Focus, IsUnknownWhereTheElementIsOfNoRow) {
  EXPECT_EQ(focus_at("batch-summed gradient of parameter 0[1]").row, -1);
  EXPECT_EQ(focus_at("").output, -1);
}

}  // namespace
}  // namespace ulpfuzz
