#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "support/any_night.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::report {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

// Anything that initialises a member: counts the members of an aggregate, so that one that is in
// no list of members is noticed.
struct Anything {
  template <class T>
  operator T() const;
};
template <class T, class... Members>
constexpr std::size_t members_of() {
  if constexpr (requires { T{{Anything{}}, Members{}..., Anything{}}; })
    return members_of<T, Members..., Anything>();
  else
    return sizeof...(Members) + 1;
}

template <class T>
std::size_t listed() {
  std::size_t n = 0;
  T value{};
  visit_members(value, [&n](auto&&...) { ++n; });
  return n;
}

TEST(NightJson, KnowsEveryMemberOfEveryPart) {
  EXPECT_EQ(listed<Night>(), members_of<Night>());
  EXPECT_EQ(listed<Bucket>(), members_of<Bucket>());
  EXPECT_EQ(listed<NightBucket>(), members_of<NightBucket>() - 1 + members_of<Bucket>());
  EXPECT_EQ(listed<PairCounts>(), members_of<PairCounts>());
  EXPECT_EQ(listed<Phase>(), members_of<Phase>());
  EXPECT_EQ(listed<StatisticsLine>(), members_of<StatisticsLine>());
  EXPECT_EQ(listed<Sample>(), members_of<Sample>() - 1 + members_of<StatisticsLine>());
  EXPECT_EQ(listed<Statistics>(), members_of<Statistics>());
  EXPECT_EQ(listed<EarlierNight>(), members_of<EarlierNight>());
  EXPECT_EQ(listed<Environment>(), members_of<Environment>());
}

RC_GTEST_PROP(NightJson, LosesNothing, ()) {
  const Night night = *test::any_night();
  const std::string text = to_json(night);
  const Night again = night_from_json(text, "summary.json");
  RC_ASSERT(test::Leaves::of(again) == test::Leaves::of(night));
  RC_ASSERT(to_json(again) == text);
}

TEST(NightJson, HasTheSameBytesForTheSameNight) {
  const Night night = (*rc::gen::noShrink(test::any_night()));
  EXPECT_EQ(to_json(night), to_json(night_from_json(to_json(night), "again")));
}

}  // namespace
}  // namespace ulpfuzz::report
