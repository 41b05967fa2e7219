#include <gmock/gmock.h>

#include <sstream>

#include "sample_night.hpp"
#include "support/any_night.hpp"
#include "support/folder.hpp"

namespace ulpfuzz::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::Folder;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Cells of a row as GitHub splits it: at each bar that no backslash stands before.
std::size_t cells(const std::string& row) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '\\')
      ++i;
    else if (row[i] == '|')
      ++n;
  }
  return n - 1;
}

Night night_saying(const std::string& text) {
  Night night;
  night.phases = {{.name = text, .note = text}};
  NightBucket& b = night.buckets.emplace_back();
  b.bucket.id = b.bucket.reason = b.found_in = b.owner = b.comment = text;
  b.bucket.case_file = "findings/" + text + "/minimal.case.json";
  return night;
}

TEST(Markdown, BeginsWithTheVerdictAndHoldsAllThatWantsAttention) {
  const Folder folder;
  const Night night = samples::usual_night(folder.path());
  const std::string text = to_markdown(night);
  EXPECT_THAT(text, StartsWith("# " + headline(night) + "\n"));
  for (const NightBucket& b : night.buckets) EXPECT_THAT(text, HasSubstr("`" + b.bucket.id + "`"));
  EXPECT_THAT(text, HasSubstr("ulpfuzz replay " + night.buckets[1].bucket.case_file.string()));
  EXPECT_THAT(text, HasSubstr(night.buckets[1].minimal.empty()
                                  ? "smallest"
                                  : "smallest case: " + night.buckets[1].minimal));
  EXPECT_THAT(text, HasSubstr(night.buckets[1].boundary));
}

TEST(Markdown, KeepsItsTablesWhateverStandsInThem) {
  for (const std::string& text : test::hostile_texts()) {
    const std::string page = to_markdown(night_saying(text));
    std::size_t rows = 0;
    bool fenced = false;
    for (const std::string& line : lines_of(page)) {
      if (line.starts_with("```") || line.starts_with("~~~")) fenced = !fenced;
      if (fenced || !line.starts_with("|")) continue;
      ++rows;
      EXPECT_TRUE(cells(line) == 6 || cells(line) == 7) << line;
    }
    EXPECT_EQ(rows, 6u) << page;
  }
}

TEST(Markdown, EndsEachFenceWithItsOwn) {
  const std::string page = to_markdown(night_saying("```\n# no heading\n````\n# nor this"));
  std::string fence;
  for (const std::string& line : lines_of(page)) {
    const std::size_t run = line.find_first_not_of('`');
    const std::size_t ticks = run == line.npos ? line.size() : run;
    if (fence.empty() && ticks >= 3)
      fence.assign(ticks, '`');
    else if (!fence.empty() && line.size() == ticks && ticks >= fence.size())
      fence.clear();
    const bool heading = fence.empty() && line.starts_with("# n");
    EXPECT_FALSE(heading) << line;
  }
  EXPECT_EQ(fence, "");
}

TEST(Markdown, CallsNobodyAndWritesNoMarkupOfTheNight) {
  Night night;
  night.errors = {"ask @everyone <b>now</b> [here](http://x) **loud**"};
  const std::string page = to_markdown(night);
  EXPECT_THAT(page, Not(HasSubstr("@everyone")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, HasSubstr("\\[here\\]"));
  EXPECT_THAT(page, HasSubstr("\\*\\*loud\\*\\*"));
}

TEST(Markdown, FitsATicketHoweverManyBucketsThereAre) {
  Night night;
  for (int i = 0; i < 1000; ++i) {
    NightBucket& b = night.buckets.emplace_back();
    b.bucket.id = "bucket-" + std::to_string(i);
    b.bucket.reason = b.minimal = b.boundary = std::string(5'000, 'x');
  }
  const std::string page = to_markdown(night);
  EXPECT_LT(page.size(), 100'000u);
  EXPECT_THAT(page, HasSubstr("and 900 more, in index.html"));
}

}  // namespace
}  // namespace ulpfuzz::report
