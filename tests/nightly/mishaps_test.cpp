#include <set>

#include "night_process.hpp"
#include "short_night.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/report/reports.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;
using mutants::Scratch;

std::vector<std::string> arguments(const Scratch& scratch, const std::string& name,
                                   std::vector<std::string> more) {
  std::vector<std::string> all{"--out",    (scratch / name).string(),
                               "--corpus", (scratch / (name + "-corpus")).string(),
                               "--seed",   "5",
                               "--jobs",   "2"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

report::Night night_in(const fs::path& out) {
  const std::string file = (out / "summary.json").string();
  return report::night_from_json(mutants::content(file), file);
}

std::set<std::string> buckets_on_disk(const fs::path& findings) {
  std::set<std::string> ids;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(findings, error))
    ids.insert(entry.path().filename().string());
  return ids;
}

/// In the findings of the parts.
std::set<std::string> buckets_of_parts(const fs::path& out) {
  std::set<std::string> all;
  std::error_code error;
  for (const auto& part : fs::directory_iterator(out / "parts", error))
    if (part.path().filename().string().find("self-check") == std::string::npos)
      for (const std::string& id : buckets_on_disk(part.path() / "findings")) all.insert(id);
  return all;
}

bool knows(const report::Night& night, const std::string& id) {
  return std::any_of(night.buckets.begin(), night.buckets.end(),
                     [&](const auto& b) { return b.bucket.goes_by(id); });
}

TEST(NightlyMishaps, KillOfTheNightLosesNothingThatResumeTakesUp) {
  const Scratch scratch;
  const auto asked = arguments(
      scratch, "night",
      {"--cases", "1000", "--subject", "fault/unwritten_tail", "--subject", "fault/overruns"});
  const fs::path out = scratch / "night";
  std::set<std::string> before;
  {
    NightProcess process(scratch, asked);
    ASSERT_TRUE(comes_true([&] { return buckets_of_parts(out).size() >= 2; }));
    process.signal(SIGKILL);
    EXPECT_EQ(process.wait(), 1000 + SIGKILL);
    before = buckets_of_parts(out);
  }
  EXPECT_TRUE(night_in(out).running);
  auto again = asked;
  again.emplace_back("--resume");
  NightProcess process(scratch, again);
  EXPECT_EQ(process.wait(), 1) << mutants::content(scratch / "log");
  const report::Night night = night_in(out);
  expect_reports(out);
  for (const std::string& id : before) EXPECT_TRUE(knows(night, id)) << id;
  for (const report::NightBucket& b : night.buckets) {
    EXPECT_GT(b.bucket.tried, 0U) << b.bucket.id;
    EXPECT_TRUE(fs::is_regular_file(out / b.bucket.case_file)) << b.bucket.case_file;
  }
  EXPECT_GE(night.cases, 2000U);
  EXPECT_FALSE(night.interrupted);
}

TEST(NightlyMishaps, ResumeRefusesOtherOptionsAFinishedNightAndNone) {
  const Scratch scratch;
  const std::string base = "nightly --cases 40 --subject loops --jobs 1 --corpus " +
                           (scratch / "corpus").string() + " --out " + (scratch / "n").string();
  const Result none = run(scratch, base + " --resume");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("holds no night"), std::string::npos) << none.err;
  ASSERT_EQ(run(scratch, base).code, 0);
  const Result over = run(scratch, base + " --resume");
  EXPECT_EQ(over.code, 2);
  EXPECT_NE(over.err.find("is over"), std::string::npos) << over.err;
  const Result twice = run(scratch, base);
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.err.find("--resume"), std::string::npos) << twice.err;
}

TEST(NightlyMishaps, SigtermEndsANightWithinTenSecondsWithAllReports) {
  const Scratch scratch;
  const fs::path out = scratch / "night";
  NightProcess process(scratch, arguments(scratch, "night",
                                          {"--time", "5m", "--subject", "fault/neighbour_row",
                                           "--subject", "loops"}));
  ASSERT_TRUE(comes_true([&] { return !buckets_of_parts(out).empty(); }));
  int code = -1;
  EXPECT_LT(seconds_of([&] {
              process.signal(SIGTERM);
              code = process.wait();
            }),
            10);
  EXPECT_EQ(code, 1) << mutants::content(scratch / "log");
  expect_reports(out);
  const report::Night night = night_in(out);
  EXPECT_TRUE(night.interrupted);
  EXPECT_FALSE(night.running);
  for (const std::string& id : buckets_of_parts(out)) EXPECT_TRUE(knows(night, id)) << id;
  // And it goes on where it was, but not as another night.
  const std::string rest = fmt::format(
      "nightly --resume --time 6m --jobs 2 --subject fault/neighbour_row --subject loops "
      "--corpus {} --out {}",
      (scratch / "night-corpus").string(), out.string());
  const Result other = run(scratch, rest);
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("--time was 300, now 360"), std::string::npos) << other.err;
}

TEST(NightlyMishaps, KillOfAWorkerIsNoFaultOfASubject) {
  const Scratch scratch;
  const fs::path out = scratch / "night";
  NightProcess process(scratch, arguments(scratch, "night",
                                          {"--cases", "4000", "--property", "batched_vs_sliced",
                                           "--subject", "loops"}));
  ASSERT_TRUE(comes_true(
      [&] { return fs::exists(out / "parts" / "04-random") && !process.children().empty(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto workers = process.children();
  ASSERT_FALSE(workers.empty());
  kill(workers.front(), SIGKILL);
  const int code = process.wait();
  const report::Night night = night_in(out);
  EXPECT_GE(night.cases, 7999U) << "but for the case in hand\n"
                                << mutants::content(scratch / "log");
  // Outside of the subject it is an error of the machine; inside, a crash that never came again.
  EXPECT_TRUE(code == 6 || code == 4) << code;
  for (const report::NightBucket& b : night.buckets)
    EXPECT_EQ(b.state, report::BucketState::flaky) << b.bucket.id;
  expect_reports(out);
}

TEST(NightlyMishaps, TwoNightsDoNotShareAFolder) {
  const Scratch scratch;
  const auto asked = arguments(scratch, "night", {"--time", "1m", "--subject", "loops"});
  NightProcess first(scratch, asked);
  ASSERT_TRUE(comes_true([&] { return fs::exists(scratch / "night" / "night.json"); }));
  auto again = asked;
  again.emplace_back("--resume");
  NightProcess second(scratch, again);
  EXPECT_EQ(second.wait(), 4);
  EXPECT_NE(mutants::content(scratch / "log").find("another night works in it"), std::string::npos);
}

}  // namespace
}  // namespace ulpfuzz
