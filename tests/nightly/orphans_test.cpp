#include <gmock/gmock.h>

#include <map>

#include "keeper.hpp"
#include "night_process.hpp"
#include "program_run.hpp"
#include "stand_in_target.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;
using mutants::content;
using mutants::Scratch;
using nightly::ProgramEnding;
using nightly::ProgramRun;

/// Neither gone nor a body that nobody has buried yet.
bool is_alive(pid_t pid) {
  const std::string status = content(fmt::format("/proc/{}/stat", pid));
  const auto name_end = status.rfind(") ");
  return name_end != status.npos && status[name_end + 2] != 'Z' && status[name_end + 2] != 'X';
}

/// A script that starts processes at depth 2 and 3, one of them in a session of its own, whose
/// numbers are then in FOLDER/1 ...
std::string starts_others(const fs::path& folder) {
  const std::string says = "echo $$ > " + folder.string() + "/";
  return fmt::format(
      "{0}1\nsetsid sh -c '{0}2; sleep 600 & echo $! > {1}/3; wait' &\n"
      "sh -c 'sh -c \"{2}4; exec sleep 600\" & {0}5; wait' &\n",
      says, folder.string(), "echo \\$\\$ > " + folder.string() + "/");
}

std::vector<pid_t> started(const fs::path& folder) {
  std::vector<pid_t> all;
  for (const char* name : {"1", "2", "3", "4", "5"}) {
    const std::string number = fs::exists(folder / name) ? content(folder / name) : "";
    if (number.ends_with('\n')) all.push_back(std::stoi(number));
  }
  return all;
}

class Orphans : public testing::Test {
 protected:
  void expect_started() {
    ASSERT_TRUE(comes_true([&] { return started(scratch_.path()).size() == 5; }));
    all_ = started(scratch_.path());
    for (const pid_t pid : all_) ASSERT_TRUE(is_alive(pid)) << pid;
  }
  void expect_ended() const {
    for (const pid_t pid : all_) EXPECT_TRUE(comes_true([&] { return !is_alive(pid); }, 5)) << pid;
  }
  ProgramRun shell(const std::string& script) const {
    std::ofstream(scratch_ / "script") << script;
    return ProgramRun({"/bin/sh", (scratch_ / "script").string()}, {}, scratch_.path());
  }

  const Scratch scratch_;
  std::vector<pid_t> all_;
};

TEST_F(Orphans, OfATargetEndWithANightThatIsKilled) {
  put_target(scratch_ / "bin", "batched_vs_sliced",
             {.fuzz = starts_others(scratch_.path()) + "wait"});
  NightProcess night(scratch_, {"--out", (scratch_ / "night").string(), "--corpus",
                                (scratch_ / "corpus").string(), "--cases", "5", "--jobs", "1",
                                "--subject", "loops", "--fuzzers", (scratch_ / "bin").string()});
  expect_started();
  night.signal(SIGKILL);
  EXPECT_EQ(night.wait(), 1000 + SIGKILL);
  expect_ended();
}

TEST_F(Orphans, EndWithAProgramThatIsKilled) {
  std::vector<ProgramRun> running;
  running.push_back(shell(starts_others(scratch_.path()) + "trap '' TERM; wait; wait; wait"));
  expect_started();
  nightly::wait_for(running, 0, [] { return false; });
  EXPECT_EQ(running.front().ending().how, ProgramEnding::How::stopped);
  expect_ended();
}

TEST_F(Orphans, EndWithAProgramThatEndsWithoutThem) {
  std::vector<ProgramRun> running;
  running.push_back(
      shell(starts_others(scratch_.path()) + "while [ ! -e go ]; do sleep 0.05; done; exit 7"));
  expect_started();
  std::ofstream(scratch_ / "go") << "";
  nightly::wait_for(running, 60, [] { return false; });
  EXPECT_EQ(running.front().ending().how, ProgramEnding::How::exited);
  EXPECT_EQ(running.front().ending().code, 7);
  expect_ended();
}

TEST_F(Orphans, EndIfTheirKeeperIsKilled) {
  std::vector<ProgramRun> running;
  running.push_back(shell("echo $PPID > keeper; echo $$ > program; exec sleep 600"));
  ASSERT_TRUE(comes_true([&] { return content(scratch_ / "program").ends_with('\n'); }));
  const pid_t program = std::stoi(content(scratch_ / "program"));
  ASSERT_TRUE(is_alive(program));
  kill(std::stoi(content(scratch_ / "keeper")), SIGKILL);
  EXPECT_TRUE(comes_true([&] { return !is_alive(program); }, 5)) << "before anybody looks";
  EXPECT_TRUE(comes_true([&] { return running.front().look(); }));
}

TEST_F(Orphans, EndWithAProgramWhoseKeeperIsStopped) {
  std::vector<ProgramRun> running;
  running.push_back(shell("echo $PPID > keeper\n" + starts_others(scratch_.path()) +
                          "trap '' TERM; wait; wait; wait"));
  expect_started();
  kill(-std::stoi(content(scratch_ / "keeper")), SIGSTOP);
  EXPECT_LT(seconds_of([&] { nightly::wait_for(running, 0, [] { return false; }); }), 10);
  EXPECT_EQ(running.front().ending().how, ProgramEnding::How::stopped);
  expect_ended();
}

/// As one does that waits for what cannot be killed.
TEST_F(Orphans, AKeeperThatNeverAnswersIsKilledWithItsProgram) {
  std::vector<ProgramRun> running;
  running.push_back(
      shell("trap '' TERM; echo $$ > 1; echo $PPID > keeper; while :; do sleep 1; done"));
  ASSERT_TRUE(comes_true([&] { return content(scratch_ / "keeper").ends_with('\n'); }));
  const pid_t keeper = std::stoi(content(scratch_ / "keeper"));
  all_ = started(scratch_.path());
  ASSERT_EQ(all_.size(), 1);
  double seconds = 0;
  {
    const std::jthread stops([&](const std::stop_token& enough) {
      while (!enough.stop_requested()) kill(keeper, SIGSTOP);
    });
    seconds = seconds_of([&] { nightly::wait_for(running, 0, [] { return false; }); });
  }
  EXPECT_LT(seconds, 15);
  EXPECT_EQ(running.front().ending().how, ProgramEnding::How::stopped);
  expect_ended();
}

TEST_F(Orphans, OneThatCannotBeKeptEndsAsNoTargetOfLibFuzzerDoes) {
  fs::create_directories(scratch_ / "log");  // so that nothing can be written there
  std::vector<ProgramRun> running;
  testing::internal::CaptureStderr();
  running.push_back(shell("exit 0"));
  nightly::wait_for(running, 60, [] { return false; });
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr((scratch_ / "log").string() + ": Is a directory"));
  EXPECT_EQ(running.front().ending().how, ProgramEnding::How::exited);
  EXPECT_EQ(running.front().ending().code, 125);
}

TEST_F(Orphans, AProgramEndsAsItWould) {
  for (const char* name : {"SEGV", "KILL", "USR1", "ABRT"}) {
    std::vector<ProgramRun> running;
    running.push_back(shell(fmt::format("kill -{} $$", name)));
    nightly::wait_for(running, 60, [] { return false; });
    EXPECT_EQ(running.front().ending().how, ProgramEnding::How::signalled) << name;
    EXPECT_EQ(sigabbrev_np(running.front().ending().code), std::string(name));
  }
}

/// All processes below one, by depth.
std::vector<std::pair<int, pid_t>> descendants(pid_t pid, int depth = 1) {
  std::vector<std::pair<int, pid_t>> all;
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", pid));
  for (pid_t child = 0; file >> child;) {
    all.emplace_back(depth, child);
    const auto below = descendants(child, depth + 1);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

TEST_F(Orphans, OfACampaignEndWithANightThatIsKilled) {
  NightProcess night(scratch_, {"--out", (scratch_ / "night").string(), "--corpus",
                                (scratch_ / "corpus").string(), "--cases", "200", "--jobs", "1",
                                "--subject", "fault/hangs_above_batch", "--timeout", "3s"});
  // A worker's own child that confirms a hang, held where it is: an end by itself would show
  // nothing. One that has only just been forked has not yet asked to hear of its parent's death,
  // and one that is older may be ended by its worker's timer while the test looks.
  constexpr double least = 0.3, most = 0.8, until_the_timer = 2;  // seconds
  using Clock = std::chrono::steady_clock;
  pid_t deep = 0;
  std::vector<pid_t> all;
  std::map<pid_t, Clock::time_point> seen;
  const auto is_held = [&](pid_t pid) {
    const auto since = [&] {
      return std::chrono::duration<double>(Clock::now() - seen[pid]).count();
    };
    seen.try_emplace(pid, Clock::now());
    return since() > least && since() < most && kill(pid, SIGSTOP) == 0 && is_alive(pid) &&
           since() < most;
  };
  ASSERT_TRUE(comes_true(
      [&] {
        all = night.children();
        for (const pid_t worker : all)
          for (const auto& [depth, pid] : descendants(worker))
            if (is_held(pid)) return deep = pid, true;
        return false;
      },
      60));
  night.signal(SIGKILL);
  EXPECT_EQ(night.wait(), 1000 + SIGKILL);
  EXPECT_TRUE(comes_true([&] { return !is_alive(deep); }, until_the_timer));
  for (const pid_t pid : all) EXPECT_TRUE(comes_true([&] { return !is_alive(pid); }, 5));
}

}  // namespace
}  // namespace ulpfuzz
