#include "ulpfuzz/core/named_arithmetics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace ulpfuzz {
namespace {

using testing::HasSubstr;

TEST(NamedArithmetics, AreAllDifferentInNameAndMeaning) {
  const auto all = named_arithmetics();
  ASSERT_GE(all.size(), 14u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_FALSE(all[i].description.empty()) << all[i].name;
    EXPECT_EQ(arithmetic_from(all[i].name), all[i].arithmetic);
    EXPECT_THAT(arithmetic_names(), HasSubstr(std::string(all[i].name)));
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(all[i].name, all[j].name);
      EXPECT_NE(all[i].arithmetic, all[j].arithmetic) << all[i].name << " and " << all[j].name;
    }
  }
}

TEST(NamedArithmetics, BeginWithWhatEveryEvaluatorClaimsByDefault) {
  EXPECT_EQ(named_arithmetics().front().name, "fp32");
  EXPECT_EQ(arithmetic_from("fp32"), Arithmetic{});
}

TEST(NamedArithmetics, Tf32IsThatOfLibrariesOnAmpereWhichKeepSmallProductsInFp32) {
  const Arithmetic a = arithmetic_from("tf32").value();
  EXPECT_EQ(a.operand, Format::tf32);
  EXPECT_EQ(a.conversion, Rounding::nearest_away);
  EXPECT_EQ(a.unit, matmul_units::ampere_tf32);
  EXPECT_EQ(a.accumulate, Format::fp32);
  EXPECT_TRUE(a.mixed);
  EXPECT_EQ(arithmetic_from("tf32-rz")->conversion, Rounding::toward_zero);
}

TEST(NamedArithmetics, KeptFormatsAreThoseOfEveryResult) {
  EXPECT_EQ(arithmetic_from("bf16")->keep, Format::fp32);
  EXPECT_EQ(arithmetic_from("bf16-kept")->keep, Format::bf16);
  EXPECT_EQ(arithmetic_from("fp16-kept")->store, Format::fp16);
  EXPECT_EQ(arithmetic_from("fp16-sums")->accumulate, Format::fp16);
}

TEST(NamedArithmetics, SplitsHaveTheirName) {
  EXPECT_EQ(arithmetic_from("bf16x3")->split, Split::bf16x3);
  EXPECT_EQ(arithmetic_from("bf16x6")->split, Split::bf16x6);
  EXPECT_EQ(arithmetic_from("bf16x9")->split, Split::bf16x9);
  EXPECT_EQ(arithmetic_from("tf32x3")->split, Split::tf32x3);
}

TEST(NamedArithmetics, OtherNamesHaveNone) {
  for (const char* name : {"", "FP32", "tf", "tf32 ", "int8"})
    EXPECT_FALSE(arithmetic_from(name)) << name;
}

}  // namespace
}  // namespace ulpfuzz
