#include <gmock/gmock.h>

#include <fstream>

#include "sample_night.hpp"
#include "support/folder.hpp"

namespace ulpfuzz::report {
namespace {

using testing_support::content;
using testing_support::Folder;

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(WriteReports, LeavesEachReportOfTheNight) {
  const Folder folder;
  const Night night = samples::usual_night(folder.path());
  EXPECT_THAT(write_reports(night, folder.path()), IsEmpty());
  EXPECT_EQ(content(folder.path() / "summary.json"), to_json(night));
  EXPECT_EQ(content(folder.path() / "summary.txt"), to_text(night));
  EXPECT_EQ(content(folder.path() / "report.md"), to_markdown(night));
  EXPECT_EQ(content(folder.path() / "junit.xml"), to_junit(night, folder.path()));
  EXPECT_EQ(content(folder.path() / "results.sarif"), to_sarif(night));
  EXPECT_EQ(content(folder.path() / "index.html"), to_html(night, folder.path()));
}

TEST(WriteReports, WritesTheOthersWhereOneCannotBe) {
  const Folder folder;
  fs::create_directories(folder.path() / "junit.xml" / "in the way");
  const auto failed = write_reports(samples::quiet_night(), folder.path());
  ASSERT_THAT(failed, SizeIs(1));
  EXPECT_THAT(failed[0], HasSubstr("junit.xml"));
  for (const char* file :
       {"summary.json", "summary.txt", "report.md", "results.sarif", "index.html"})
    EXPECT_TRUE(fs::is_regular_file(folder.path() / file)) << file;
}

TEST(WriteReports, SaysOfEachFileThatItCannotBeWritten) {
  EXPECT_THAT(write_reports(samples::quiet_night(), "/nonexistent/night"), SizeIs(6));
}

TEST(WriteReports, TakesAccountsFromTheFolderOfTheNight) {
  const Folder there, here;
  const Night night = samples::usual_night(there.path());
  EXPECT_THAT(write_reports(night, here.path(), there.path()), IsEmpty());
  EXPECT_EQ(content(here.path() / "junit.xml"), to_junit(night, there.path()));
  EXPECT_NE(to_junit(night, there.path()), to_junit(night, here.path()));
}

TEST(DescribeCases, TakesTheSmallestCaseAndItsBoundaryFromTheFile) {
  const Folder folder;
  const Night whole = samples::usual_night(folder.path());
  Night night = whole;
  for (NightBucket& b : night.buckets) b.minimal.clear();
  night.buckets[4].bucket.case_file = "../../etc/passwd";
  describe_cases(night, folder.path());
  EXPECT_EQ(night.buckets[1].minimal, "linear(1 -> 1); batch 2; split 1");
  EXPECT_EQ(night.buckets[4].minimal, "");
}

}  // namespace
}  // namespace ulpfuzz::report
