#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "support/any_night.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/report/reports.hpp"

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

/// The first leaf that differs, or nothing.
std::string first_difference(const Night& a, const Night& b) {
  const auto left = test::Leaves::of(a), right = test::Leaves::of(b);
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    const std::string x = i < left.size() ? left[i] : "nothing";
    const std::string y = i < right.size() ? right[i] : "nothing";
    if (x != y) return x + " became " + y;
  }
  return {};
}

RC_GTEST_PROP(NightJson, LosesNothing, ()) {
  const Night night = *rc::gen::noShrink(test::any_night());
  const std::string text = to_json(night);
  const Night again = night_from_json(text, "summary.json");
  const std::string difference = first_difference(night, again);
  if (!difference.empty()) RC_FAIL(difference);
  RC_ASSERT(to_json(again) == text);
}

TEST(NightJson, WritesAnInfiniteShareAsTheLargestDouble) {
  Night night;
  night.buckets.resize(1);
  night.buckets[0].bucket.share = std::numeric_limits<double>::infinity();
  night.statistics.worst[3][4] = std::numeric_limits<double>::quiet_NaN();
  const json j = json::parse(to_json(night));
  EXPECT_EQ(j["buckets"][0]["share"], std::numeric_limits<double>::max());
  EXPECT_EQ(j["statistics"]["worst"][3][4], 0);
  EXPECT_EQ(night_from_json(to_json(night), "").buckets[0].bucket.share,
            std::numeric_limits<double>::infinity());
}

TEST(NightJson, SaysInWordsWhatIsSaidThere) {
  Night night;
  night.cases = 300;
  night.seconds = 2;
  night.buckets.resize(2);
  night.buckets[1].state = BucketState::known;
  night.phases.resize(1);
  night.statistics.ops[static_cast<std::size_t>(Op::linear)] = 17;
  const json j = json::parse(to_json(night));
  EXPECT_EQ(j["kind"], "night");
  EXPECT_EQ(j["schema"], 1);
  EXPECT_EQ(j["headline"], headline(night));
  EXPECT_EQ(j["states"]["new"], 1);
  EXPECT_EQ(j["states"]["known"], 1);
  EXPECT_EQ(j["states"]["fixed"], 0);
  EXPECT_EQ(j["cases_per_second"], 150);
  EXPECT_EQ(j["buckets"][0]["state"], "new");
  EXPECT_EQ(j["phases"][0]["state"], "not begun");
  EXPECT_EQ(j["statistics"]["ops"]["linear"], 17);
}

TEST(NightJson, ReplacesBytesThatAreNotUtf8) {
  Night night;
  night.errors = {"a\xff\xc0\x80z"};
  const Night again = night_from_json(to_json(night), "");
  EXPECT_THAT(again.errors[0], StartsWith("a\xef\xbf\xbd"));
  EXPECT_EQ(to_json(again), to_json(night));
}

std::string refusal(const json& j) {
  try {
    night_from_json(j.dump(), "summary.json");
  } catch (const FileError& error) {
    return error.what();
  }
  return "read";
}

class NightJsonErrors : public testing::Test {
 protected:
  NightJsonErrors() {
    Night night;
    night.buckets.resize(2);
    night.phases.resize(1);
    good = json::parse(to_json(night));
  }
  json good;
};

TEST_F(NightJsonErrors, NameTheKeyAndWhatWouldFit) {
  ASSERT_EQ(refusal(good), "read");
  json j = good;
  j["buckets"][1]["count"] = -1;
  EXPECT_THAT(refusal(j), StartsWith("summary.json: buckets[1].count: is -1; "));
  EXPECT_THAT(refusal(j), HasSubstr("a whole number from 0 to 18446744073709551615"));
  j = good;
  j["buckets"][0]["state"] = "old";
  EXPECT_EQ(refusal(j),
            "summary.json: buckets[0].state: 'old' is none of its words; there are new, open, "
            "known, returned, fixed, flaky");
  j = good;
  j["statistics"]["sizes"][2].erase(0);
  EXPECT_THAT(refusal(j), HasSubstr("statistics.sizes[2]: "));
  j = good;
  j["statistics"]["ops"].erase("linear");
  EXPECT_THAT(refusal(j), HasSubstr("statistics.ops.linear: is missing"));
  j = good;
  j["exit_code"] = 3000000000;
  EXPECT_THAT(refusal(j), HasSubstr("exit_code: is 3000000000; "));
}

TEST_F(NightJsonErrors, RefuseAMissingKeyAndOneThatIsNotKnown) {
  for (const auto& [key, value] : good.items()) {
    json j = good;
    j.erase(key);
    const bool derived = key == "headline" || key == "states" || key == "cases_per_second";
    const std::string expected = derived ? "read" : "summary.json: " + key + ": ";
    EXPECT_THAT(refusal(j), StartsWith(expected)) << key;
  }
  json j = good;
  j["phases"][0]["colour"] = "red";
  EXPECT_THAT(refusal(j), StartsWith("summary.json: phases[0].colour: is not known; "));
}

TEST_F(NightJsonErrors, RefuseANewerSchemaAndTheSummaryOfARun) {
  json j = good;
  j["schema"] = 2;
  EXPECT_EQ(refusal(j),
            "summary.json: schema: 2 is not 1, which this ulpfuzz reads; use the ulpfuzz that "
            "the file is for");
  j = good;
  j["kind"] = "campaign";
  EXPECT_THAT(refusal(j), StartsWith("summary.json: kind: is not \"night\""));
}

TEST_F(NightJsonErrors, AreFileErrorsForAnyBytes) {
  const std::string text = good.dump();
  for (std::size_t cut = 0; cut < text.size(); cut += 1 + text.size() / 300)
    EXPECT_THROW(night_from_json(text.substr(0, cut), "cut"), FileError) << cut;
  EXPECT_THROW(night_from_json(std::string(100'000, '['), "deep"), FileError);
  EXPECT_THROW(night_from_json("\xff\xfe", "bytes"), FileError);
  EXPECT_THROW(night_from_json("[]", "list"), FileError);
  EXPECT_THROW(night_from_json("{\"kind\":\"night\",\"schema\":1e999}", "huge"), FileError);
}

}  // namespace
}  // namespace ulpfuzz::report
