#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "trial_subjects.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/runner/report.hpp"

/// What happens to campaigns: kills, requests to stop, a full disk.
namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::only;
using mutants::Scratch;
using mutants::staged;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
namespace fs = std::filesystem;

CampaignOptions drill(const fs::path& out) {
  CampaignOptions o;
  o.properties = {"batched_vs_sliced"};
  o.seed = 5;
  o.cases = 120;
  o.jobs = 2;
  o.out = out;
  o.limits.kind = generators::Limits::Kind::plain;
  o.shrink_evaluations = 40;
  return o;
}

void pause_for(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

bool wait_until(const std::function<bool()>& holds, double seconds = 20) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    pause_for(10);
  }
  return true;
}

CampaignResult summary_in(const fs::path& out) {
  return campaign_from_json(content(out / "summary.json"), "summary.json");
}

/// Each case file below reads; how many there are.
std::size_t expect_intact(const fs::path& folder) {
  std::size_t count = 0;
  if (!fs::exists(folder)) return 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().string();
    if (!name.ends_with(".case.json")) continue;
    ++count;
    EXPECT_NO_THROW(read_case(name)) << name;
  }
  return count;
}

TEST(Drill, AKilledWorkerCostsNoCase) {
  const Scratch scratch;
  const fs::path victim = scratch / "victim";
  // The first that comes here waits for its death; nobody after it does.
  const Registry subjects = staged("honest", [&victim](const Evaluation& e) {
    if (e.batch < 20) return;
    const int file = open(victim.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0) return;
    dprintf(file, "%d\n", getpid());
    pause_for(60'000);
  });
  std::thread killer([&victim] {
    ASSERT_TRUE(wait_until([&] { return !content(victim).empty(); }));
    kill(std::stoi(content(victim)), SIGKILL);
  });
  const CampaignResult r = run_campaign(drill(scratch / "out"), subjects);
  killer.join();
  EXPECT_EQ(r.cases, 120u);
  EXPECT_EQ(r.verdicts.at("fail"), 1u);
  EXPECT_EQ(r.exit_code(), 6) << "what never happens again is no new failure";
  ASSERT_EQ(r.buckets.size(), 1u);
  EXPECT_EQ(r.buckets.front().cause, "sigkill");
  EXPECT_EQ(expect_intact(scratch / "out" / "findings-flaky"), 1u);
}

/// While it lives, orphans become children of this process.
struct Adoption {
  Adoption() { prctl(PR_SET_CHILD_SUBREAPER, 1); }
  ~Adoption() { prctl(PR_SET_CHILD_SUBREAPER, 0); }
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;
};

/// A campaign in a process of its own, without end.
pid_t campaign_without_end(const fs::path& out, const Registry& subjects, double timeout = 20) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  CampaignOptions o = drill(out);
  o.cases = 0;
  o.seconds = 600;
  o.case_timeout = timeout;
  o.statistics_interval = 0.1;
  _exit(run_campaign(o, subjects).exit_code());
}

bool nobody_is_left() {
  while (waitpid(-1, nullptr, WNOHANG) > 0) {
  }
  return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
}

TEST(Drill, AKilledCampaignLeavesItsSummaryAndFindingsAndNoProcess) {
  const Scratch scratch;
  const Registry subjects = only(std::make_unique<mutants::DropsLast>());
  const fs::path out = scratch / "out";
  const Adoption adoption;
  const pid_t campaign = campaign_without_end(out, subjects);
  const auto has_found = [&out] {
    return content(out / "summary.json").find("minimal.case.json") != std::string::npos &&
           !content(out / "stats.jsonl").empty();
  };
  EXPECT_TRUE(wait_until(has_found));
  kill(campaign, SIGKILL);
  EXPECT_TRUE(wait_until(nobody_is_left, 5));
  const CampaignResult r = summary_in(out);
  EXPECT_TRUE(r.running);
  EXPECT_GT(r.cases, 0u);
  ASSERT_FALSE(r.buckets.empty());
  EXPECT_GT(expect_intact(out / "findings"), 0u);
  EXPECT_TRUE(replay(r.buckets.front().case_file, {}, subjects).rows.at(0).verdict.failed());
  EXPECT_FALSE(read_statistics(out / "stats.jsonl").empty());
}

TEST(Drill, ACampaignThatIsAskedToStopReportsWithinTenSeconds) {
  const Scratch scratch;
  Registry subjects = only(std::make_unique<mutants::DropsLast>());
  subjects.merge(staged("hanging", [](const Evaluation& e) {
    if (e.batch > 30) pause_for(3'600'000);
  }));
  const fs::path out = scratch / "out";
  const Adoption adoption;
  const pid_t campaign = campaign_without_end(out, subjects, 600);
  EXPECT_TRUE(wait_until(
      [&] { return content(out / "summary.json").find("beyond_bound") != std::string::npos; }));
  kill(campaign, SIGTERM);
  const auto asked = std::chrono::steady_clock::now();
  int status = 0;
  waitpid(campaign, &status, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(10));
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
  const CampaignResult r = summary_in(out);
  EXPECT_FALSE(r.running);
  EXPECT_TRUE(r.interrupted);
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_GT(expect_intact(out / "findings"), 0u);
  EXPECT_THAT(content(out / "summary.txt"), HasSubstr("interrupted"));
  EXPECT_EQ(read_statistics(out / "stats.jsonl").back().cases, r.cases);
  EXPECT_TRUE(nobody_is_left());
}

/// A file system of a few hundred kilobytes, where that can be.
class SmallDisk {
 public:
  explicit SmallDisk(const fs::path& path) : path_(path) {
    fs::create_directories(path);
    mounted_ = mount("tmpfs", path.c_str(), "tmpfs", 0, "size=256k") == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  fs::path path_;
  bool mounted_ = false;
};

TEST(Drill, AFullDiskIsAnErrorAndCostsNothingThatWasWritten) {
  const Scratch scratch;
  const SmallDisk disk(scratch / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a tmpfs needs root";
  Registry subjects;
  for (const int rows : {3, 5, 7, 9, 11, 13, 15, 17})
    subjects.merge(staged(fmt::format("wrong_{}", rows).c_str(), [rows](const Evaluation& e) {
      if (static_cast<int>(e.batch) > rows) throw std::runtime_error("no memory for tiles");
    }));
  CampaignOptions o = drill(scratch / "disk" / "out");
  o.cases = 400;
  o.copy = scratch / "copy.json";
  o.statistics_interval = 0.005;
  const CampaignResult r = run_campaign(o, subjects);
  EXPECT_EQ(r.exit_code(), 4);
  EXPECT_EQ(r.cases, 400u);
  ASSERT_FALSE(r.errors.empty());
  EXPECT_THAT(r.errors.front(), HasSubstr("No space left on device"));
  EXPECT_EQ(r.buckets.size(), 8u) << "what cannot be kept is told all the same";
  EXPECT_GT(expect_intact(o.out / "findings"), 3u);
  EXPECT_THAT(content(o.out / "stats.jsonl"), AnyOf(IsEmpty(), EndsWith("\n"))) << "a torn line";
  const CampaignResult copy = campaign_from_json(content(o.copy), "copy.json");
  EXPECT_EQ(copy.exit_code(), 4);
  EXPECT_EQ(copy.buckets.size(), 8u);
  EXPECT_NO_THROW(summary_in(o.out)) << "the last one that fitted";
}

}  // namespace
}  // namespace ulpfuzz
