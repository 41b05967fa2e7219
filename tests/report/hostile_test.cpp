#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "junit_rules.hpp"
#include "sample_night.hpp"
#include "support/any_night.hpp"
#include "support/folder.hpp"

namespace ulpfuzz::report {
namespace {

using testing::IsEmpty;
using testing_support::Folder;

/// What each reader of a report refuses, whatever the night says.
std::vector<std::string> faults_of(const Night& night, const std::filesystem::path& folder) {
  std::vector<std::string> faults;
  const std::string junit = to_junit(night, folder);
  pugi::xml_document xml;
  if (!xml.load_string(junit.c_str())) faults.push_back("junit: no XML");
  for (const std::string& line : broken_rules(xml)) faults.push_back("junit: " + line);
  for (const std::string& line : forbidden_characters(junit)) faults.push_back("junit: " + line);
  const auto sarif = nlohmann::json::parse(to_sarif(night), nullptr, false);
  if (sarif.is_discarded())
    faults.push_back("sarif: no JSON");
  else if (sarif["runs"][0]["results"].size() != night.buckets.size())
    faults.push_back("sarif: results lost");
  for (const std::string& text : {to_text(night), to_markdown(night)})
    for (const std::string& line : forbidden_characters(text)) faults.push_back("text: " + line);
  return faults;
}

RC_GTEST_PROP(HostileTexts, BreakNoReport, ()) {
  const Night night = *rc::gen::noShrink(test::any_night());
  const auto faults = faults_of(night, {});
  if (!faults.empty()) RC_FAIL(faults.front());
}

TEST(HostileTexts, BreakNoReportOfASampleNight) {
  const Folder folder;
  EXPECT_THAT(faults_of(samples::hostile_night(folder.path()), folder.path()), IsEmpty());
}

TEST(HostileTexts, OfAnyBytesAndAnyLengthStayReadable) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const std::string& text : {bytes, std::string(100'000, '<'), std::string(100'000, '\xf0'),
                                  std::string("]]>]]>"), std::string(99'999, 'a') + "\xc3\xa9",
                                  std::string(100'000, '\n'), std::string(5000, '`')}) {
    Night night = samples::empty_night();
    night.errors = {text};
    night.phases = {{.name = text, .note = text}};
    night.pairs.resize(1);
    night.pairs[0].subject = text;
    NightBucket& b = night.buckets.emplace_back();
    b.bucket.id = b.bucket.reason = b.owner = b.minimal = b.boundary = b.comment = text;
    night.buckets.push_back(b);
    night.buckets[1].state = BucketState::known;
    EXPECT_THAT(faults_of(night, {}), IsEmpty()) << text.substr(0, 20);
    EXPECT_LT(to_markdown(night).size(), 20'000u);
    EXPECT_LT(to_text(night).size(), 20'000u);
  }
}

TEST(HostileTexts, KeepLettersThatRunFromRightToLeftButTurnNothingElse) {
  Night night = samples::empty_night();
  night.errors = {"\u05d0\u05d1 \u202e reversed \u2066"};
  const std::string text = to_text(night);
  EXPECT_NE(text.find("\u05d0\u05d1"), text.npos);
  EXPECT_EQ(text.find("\u202e"), text.npos);
  EXPECT_EQ(text.find("\u2066"), text.npos);
}

}  // namespace
}  // namespace ulpfuzz::report
