#include "ulpfuzz/core/verdict.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ulpfuzz {
namespace {

TEST(FailureClass, NamesAreUniqueAndInvertible) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(FailureClass::out_of_memory); ++i) {
    const auto failure = static_cast<FailureClass>(i);
    EXPECT_EQ(failure_class_from(name(failure)), failure);
    EXPECT_TRUE(names.insert(name(failure)).second) << name(failure);
  }
  EXPECT_EQ(names.size(), 12u);
  EXPECT_EQ(failure_class_from("no such class"), FailureClass::none);
  EXPECT_EQ(name(FailureClass::beyond_bound), "beyond_bound");
  EXPECT_EQ(name(FailureClass::hang), "hang");
}

TEST(VerdictWords, AreThoseOfReports) {
  EXPECT_EQ(name(Outcome::pass), "pass");
  EXPECT_EQ(name(Outcome::skip), "skip");
  EXPECT_EQ(name(Tier::bit_equal), "bit_equal");
  EXPECT_EQ(name(Tier::none), "none");
}

TEST(Verdict, CountsElementsOverTiers) {
  Verdict v;
  EXPECT_EQ(v.element_count(), 0u);
  EXPECT_FALSE(v.failed());
  v.elements = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(v.element_count(), 21u);
}

}  // namespace
}  // namespace ulpfuzz
