#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sample_night.hpp"
#include "support/folder.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz::report {
namespace {

using testing_support::content;
using testing_support::Folder;

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

struct Ran {
  int code = -1;
  std::string out, err;
};

Ran ulpfuzz(const std::string& arguments) {
  const Folder streams;
  const std::string out = (streams.path() / "out").string(),
                    err = (streams.path() / "err").string();
  const int status = std::system(
      (ULPFUZZ_BINARY_DIR "/bin/ulpfuzz " + arguments + " > " + out + " 2> " + err).c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
}

constexpr std::array<const char*, 6> files{"summary.json",  "summary.txt", "report.md",
                                           "results.sarif", "junit.xml",   "index.html"};

TEST(ReportVerb, MakesTheReportsOfANightAgainByteForByte) {
  const Folder folder;
  const Night night = samples::usual_night(folder.path());
  ASSERT_TRUE(write_reports(night, folder.path()).empty());
  std::map<std::string, std::string> before;
  for (const char* file : files) before[file] = content(folder.path() / file);
  for (const char* file : files)
    if (file != files[0]) fs::remove(folder.path() / file);
  const Ran ran = ulpfuzz("report " + folder.path().string());
  EXPECT_EQ(ran.code, 3) << ran.err;
  EXPECT_EQ(ran.out, to_text(night));
  for (const char* file : files) EXPECT_EQ(content(folder.path() / file), before[file]) << file;
}

TEST(ReportVerb, PrintsOneFormatAndWritesNoFile) {
  const Folder folder;
  Night night = samples::usual_night(folder.path());
  std::ofstream(folder.path() / "summary.json") << to_json(night);
  const std::string verb = "report " + folder.path().string() + " --format ";
  EXPECT_EQ(ulpfuzz(verb + "markdown").out, to_markdown(night));
  EXPECT_EQ(ulpfuzz(verb + "junit").out, to_junit(night, folder.path()));
  EXPECT_EQ(ulpfuzz(verb + "sarif").out, to_sarif(night));
  EXPECT_THAT(ulpfuzz(verb + "html").out, StartsWith("<!"));
  EXPECT_FALSE(fs::exists(folder.path() / "index.html"));
  EXPECT_EQ(ulpfuzz(verb + "pdf").code, 2);
}

TEST(ReportVerb, WritesElsewhereWhereItIsAskedTo) {
  const Folder folder, other;
  const Night night = samples::usual_night(folder.path());
  std::ofstream(folder.path() / "summary.json") << to_json(night);
  const fs::path out = other.path() / "deep" / "reports";
  EXPECT_EQ(ulpfuzz("report " + folder.path().string() + " --out " + out.string()).code, 3);
  for (const char* file : files) EXPECT_TRUE(fs::exists(out / file)) << file;
  EXPECT_FALSE(fs::exists(folder.path() / "index.html"));
}

TEST(ReportVerb, NeverCallsAKilledNightGood) {
  const Folder folder;
  Night night = samples::running_night();
  std::ofstream(folder.path() / "summary.json") << to_json(night);
  EXPECT_EQ(ulpfuzz("report " + folder.path().string()).code, 5);
  night.buckets.resize(1);
  std::ofstream(folder.path() / "summary.json") << to_json(night);
  EXPECT_EQ(ulpfuzz("report " + folder.path().string()).code, 1);
}

TEST(ReportVerb, TakesAPlainRunAndLeavesItsSummary) {
  const Folder folder;
  const std::string out = (folder.path() / "run").string();
  const Ran run = ulpfuzz(
      "run --cases 60 --seed 3 --plain --subject fault/neighbour_row --shrink-time 1 --out " + out);
  ASSERT_EQ(run.code, 1) << run.out << run.err;
  const std::string before = content(out + "/summary.json"), text = content(out + "/summary.txt");
  const Ran ran = ulpfuzz("report " + out + " --json " + folder.path().string() + "/night.json");
  EXPECT_EQ(ran.code, 1) << ran.err;
  EXPECT_EQ(content(out + "/summary.json"), before);
  EXPECT_EQ(content(out + "/summary.txt"), text);
  const Night night = night_from_json(content(folder.path() / "night.json"), "night.json");
  const CampaignResult campaign = campaign_from_json(before, "summary.json");
  EXPECT_EQ(night.cases, 60u);
  EXPECT_EQ(night.seed, 3u);
  EXPECT_EQ(night.pairs.size(), campaign.pairs.size());
  ASSERT_FALSE(night.buckets.empty());
  EXPECT_EQ(night.buckets.size(), campaign.buckets.size());
  for (const NightBucket& b : night.buckets) {
    EXPECT_EQ(b.state, BucketState::fresh);
    EXPECT_TRUE(fs::is_regular_file(fs::path(out) / b.bucket.case_file)) << b.bucket.case_file;
    EXPECT_NE(b.minimal, "");
  }
  for (const char* file : {"report.md", "results.sarif", "junit.xml", "index.html"})
    EXPECT_TRUE(fs::exists(fs::path(out) / file)) << file;
  EXPECT_THAT(content(out + "/junit.xml"), HasSubstr("worst element"));
}

TEST(ReportVerb, SaysWhatIsWrongWithAFolder) {
  const Folder folder;
  const Ran none = ulpfuzz("report " + folder.path().string());
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("summary.json: is not there; name a folder that"));
  std::ofstream(folder.path() / "summary.json") << "{\"kind\":\"night\",\"schema\":7}";
  const Ran newer = ulpfuzz("report " + folder.path().string());
  EXPECT_EQ(newer.code, 2);
  EXPECT_THAT(newer.err, HasSubstr("summary.json: schema: 7 is not 1"));
}

TEST(ReportVerb, ReturnsFourWhereAReportCannotBeWritten) {
  const Folder folder;
  std::ofstream(folder.path() / "summary.json") << to_json(samples::quiet_night());
  fs::create_directories(folder.path() / "index.html" / "in the way");
  const Ran ran = ulpfuzz("report " + folder.path().string());
  EXPECT_EQ(ran.code, 4);
  EXPECT_THAT(ran.err, HasSubstr("index.html"));
  EXPECT_TRUE(fs::exists(folder.path() / "junit.xml"));
}

}  // namespace
}  // namespace ulpfuzz::report
