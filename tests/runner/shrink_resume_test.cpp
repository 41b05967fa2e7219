#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <vector>

#include "tool_run.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/judge.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::Scratch;
using nlohmann::json;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr int kills = 20;

constexpr const char* subject_name = "fault/tf32_above_8";

constexpr const char* confirmed = "--confirm 5/5 --no-explain ";

/// A large case that the subject fails.
std::string resumed_case(const Scratch& scratch) {
  const Registry faults = planted_faults();
  const Subject& subject = *faults.find(subject_name);
  CheckContext context;
  Case c;
  for (std::uint64_t i = 0;; ++i) {
    c = generators::case_from_seed(21, i);
    if (c.network.nodes().size() > 11 && c.batch() > 30 &&
        judge(properties::batched_vs_sliced, c, subject, {}, context).failed())
      break;
  }
  const auto path = scratch / "big.case.json";
  write_case(path, {c, {{"property", "batched_vs_sliced"}, {"subject", subject_name}}});
  return path.string();
}

/// A process for each candidate, and many tries of each that fails: it takes its time.
pid_t start_shrink(const std::string& file, const std::string& out) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  execl(tool.c_str(), tool.c_str(), "shrink", "--no-explain", "--isolate", "--confirm", "30/30",
        "--shrink-time", "5m", "--shrink-evaluations", "1000000", file.c_str(), "--out",
        out.c_str(), nullptr);
  _exit(127);
}

/// Waits so long; true if it ended by itself.
bool ended_within(pid_t pid, std::chrono::milliseconds time) {
  int status = 0;
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    if (waitpid(pid, &status, WNOHANG) == pid) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

TEST(ShrinkResume, KilledTwentyTimesItEndsAtTheSameResult) {
  const Scratch scratch;
  const std::string file = resumed_case(scratch);
  const std::string whole = (scratch / "whole.case.json").string();
  const auto began = Clock::now();
  ASSERT_TRUE(ended_within(start_shrink(file, whole), std::chrono::minutes(3)));
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  const std::string expected = content(whole);
  ASSERT_FALSE(expected.empty());
  EXPECT_FALSE(std::filesystem::exists(scratch / "whole.shrink-journal"));

  const std::string out = (scratch / "killed.case.json").string();
  const auto journal = scratch / "killed.shrink-journal";
  std::minstd_rand random(7);
  std::size_t known = 0;
  int grown = 0;
  for (int i = 0; i < kills; ++i) {
    // All twenty together have too little time to get to the end.
    const double longest = 2 * 0.5 * seconds / kills;
    const double share = std::uniform_real_distribution<>(0.1, 1)(random);
    const pid_t pid = start_shrink(file, out);
    if (ended_within(pid, std::chrono::milliseconds(static_cast<int>(1000 * longest * share)))) {
      // The machine was busier when the time was taken: this one got there, and so to the result.
      ASSERT_EQ(content(out), expected) << i;
      std::filesystem::remove(out);
      known = 0;
      continue;
    }
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    ASSERT_EQ(content(out), "") << "a result of a run that did not end";
    const std::size_t size = content(journal).size();
    EXPECT_GE(size, known) << i;
    if (size > known) ++grown;
    known = size;
  }
  EXPECT_GE(grown, kills / 4) << "the kills came too early to mean anything";
  ASSERT_TRUE(ended_within(start_shrink(file, out), std::chrono::minutes(3)));
  EXPECT_EQ(content(out), expected);
  EXPECT_FALSE(std::filesystem::exists(journal));
}

TEST(ShrinkResume, WithALargerBudgetItGoesOnWhereABudgetEnded) {
  const Scratch scratch;
  const std::string file = resumed_case(scratch);
  const std::string small = (scratch / "small.case.json").string();
  const std::string whole = (scratch / "whole.case.json").string();
  const Result first = run(scratch, std::string("shrink --shrink-evaluations 60 ") + confirmed +
                                        "--out " + small + " " + file);
  EXPECT_EQ(first.code, 1) << first.err;
  EXPECT_THAT(first.out, HasSubstr("small.shrink-journal"));
  const std::string machine = (scratch / "m.json").string();
  const Result second =
      run(scratch, std::string("shrink ") + confirmed + "--shrink-evaluations 100000 --json " +
                       machine + " --out " + small + " " + file);
  EXPECT_EQ(second.code, 1) << second.err;
  EXPECT_THAT(second.err, HasSubstr("goes on"));
  EXPECT_GE(json::parse(content(machine))["recalled"], 60);
  EXPECT_FALSE(std::filesystem::exists(scratch / "small.shrink-journal"));
  EXPECT_EQ(run(scratch, std::string("shrink ") + confirmed + "--shrink-evaluations 100000 --out " +
                             whole + " " + file)
                .code,
            1);
  EXPECT_EQ(content(small), content(whole));
}

TEST(ShrinkResume, AnInterruptionWritesWhatWasFoundAndKeepsTheJournal) {
  const Scratch scratch;
  const std::string file = resumed_case(scratch);
  const std::string out = (scratch / "cut.case.json").string();
  const pid_t pid = start_shrink(file, out);
  const auto journal = scratch / "cut.shrink-journal";
  for (int i = 0; i < 2000 && content(journal).size() < 80000; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(pid, SIGINT);
  ASSERT_TRUE(ended_within(pid, std::chrono::seconds(20)));
  ASSERT_TRUE(std::filesystem::exists(out));
  EXPECT_LT(generators::complexity(read_case(out).value),
            generators::complexity(read_case(file).value));
  EXPECT_TRUE(std::filesystem::exists(journal));
}

}  // namespace
}  // namespace ulpfuzz
