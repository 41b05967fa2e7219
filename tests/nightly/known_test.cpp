#include <gmock/gmock.h>

#include "night_folders.hpp"
#include "ulpfuzz/nightly/corpus.hpp"

namespace ulpfuzz::nightly {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Known : public testing::Test {
 protected:
  std::vector<KnownBucket> read(const std::string& text) {
    nights::put(file_, text);
    return read_known(file_);
  }
  std::string refusal(const std::string& text) {
    try {
      read(text);
    } catch (const FileError& error) {
      return error.what();
    }
    return "accepted";
  }
  /// The list with one entry that has these members.
  static std::string entry(const std::string& members) {
    return R"({"schema": 1, "known": [{)" + members + "}]}";
  }

  const nights::Folder folder_;
  const std::filesystem::path file_ = folder_ / "known.json";
};

TEST_F(Known, AreNoneWhereThereIsNoList) { EXPECT_TRUE(read_known(folder_ / "none").empty()); }

TEST_F(Known, AreReadWithOwnersAndDays) {
  const auto known = read(R"({"schema": 1, "known": [
      {"bucket": "a-b", "owner": "Ann", "until": "2026-12-31", "comment": "ticket 7"},
      {"bucket": "c-*", "owner": "Bob", "until": "2028-02-29"}]})");
  ASSERT_EQ(known.size(), 2);
  EXPECT_EQ(known[0].bucket, "a-b");
  EXPECT_EQ(known[0].owner, "Ann");
  EXPECT_EQ(known[0].until, "2026-12-31");
  EXPECT_EQ(known[0].comment, "ticket 7");
  EXPECT_EQ(known[1].bucket, "c-*");
  EXPECT_EQ(known[1].comment, "");
}

TEST_F(Known, RefuseWhatIsNoListAndNameThePlace) {
  const std::string owner = R"("owner": "Ann", "until": "2026-12-31")";
  const std::pair<std::string, const char*> wrong[] = {
      {"", "parse error"},
      {"[]", "top: is []; an object would fit"},
      {R"({"known": []})", "schema: is missing"},
      {R"({"schema": 2, "known": []})", "schema: 2 is not 1"},
      {R"({"schema": 1, "known": [], "knwon": 1})", "knwon: is not known; there are known, schema"},
      {R"({"schema": 1, "known": {}})", "known: is {}; a list would fit"},
      {R"({"schema": 1, "known": [7]})", "known[0]: is 7; an object"},
      {entry(owner), "known[0].bucket: is missing"},
      {entry(R"("bucket": "a", "until": "2026-12-31")"), "known[0].owner: is missing"},
      {entry(R"("bucket": "a", "owner": "Ann")"), "known[0].until: is missing"},
      {entry(R"("bucket": "a", "owner": " ", "until": "2026-12-31")"), "known[0].owner: is empty"},
      {entry(R"("bucket": "", )" + owner), "known[0].bucket: is empty"},
      {entry(R"("bucket": "*", )" + owner), "known[0].bucket: '*' matches every bucket"},
      {entry(R"("bucket": 5, )" + owner), "known[0].bucket: is 5; a text would fit"},
      {entry(R"("bucket": "a", "Until": 1, )" + owner),
       "known[0].Until: is not known; there are bucket, comment, owner, until"},
      {entry(R"("bucket": "a", "comment": [], )" + owner), "known[0].comment: is []"},
      {R"({"schema": 1, "known": [{"bucket": "a", )" + owner + R"(}, {"bucket": "a", )" + owner +
           "}]}",
       "known[1].bucket: 'a' is also that of known[0]"}};
  for (const auto& [text, part] : wrong) {
    EXPECT_THAT(refusal(text), HasSubstr(part)) << text;
    EXPECT_THAT(refusal(text), StartsWith(file_.string() + ": ")) << text;
  }
}

TEST_F(Known, RefuseWhatIsNoDay) {
  for (const char* day : {"", "tomorrow", "2026-13-01", "2026-00-10", "2026-04-31", "2026-02-29",
                          "26-12-31", "2026-12-1", "2026/12/31", "2026-12-31T00:00:00Z",
                          "2100-02-29", "2026-12-00", " 2026-12-31"})
    EXPECT_THAT(
        refusal(entry(std::string(R"("bucket": "a", "owner": "Ann", "until": ")") + day + "\"")),
        HasSubstr("known[0].until: '" + std::string(day) + "' is no day"));
  EXPECT_EQ(refusal(entry(R"("bucket": "a", "owner": "Ann", "until": "2000-02-29")")), "accepted");
}

TEST_F(Known, RefuseAFolder) { EXPECT_THROW(read_known(folder_.path()), FileError); }

TEST(FindKnown, KeepsQuietUpToItsDay) {
  const std::vector<KnownBucket> known{{"a-b", "Ann", "2026-12-31", ""}};
  EXPECT_EQ(find_known(known, "a-b", "2026-12-30"), &known[0]);
  EXPECT_EQ(find_known(known, "a-b", "2026-12-31"), &known[0]);
  EXPECT_EQ(find_known(known, "a-b", "2027-01-01"), nullptr);
  EXPECT_EQ(find_known(known, "a-bc", "2026-12-31"), nullptr);
}

TEST(FindKnown, PrefersTheIdToGlobsThatComeFirst) {
  const std::vector<KnownBucket> known{{"a-*", "Ann", "2026-12-31", ""},
                                       {"*-b", "Bob", "2027-12-31", ""},
                                       {"a-b", "Cid", "2026-06-30", ""}};
  EXPECT_EQ(find_known(known, "a-b", "2026-06-30")->owner, "Cid");
  EXPECT_EQ(find_known(known, "a-b", "2026-07-01")->owner, "Ann");
  EXPECT_EQ(find_known(known, "a-b", "2027-01-01")->owner, "Bob");
  EXPECT_EQ(find_known(known, "c-d", "2026-01-01"), nullptr);
}

}  // namespace
}  // namespace ulpfuzz::nightly
