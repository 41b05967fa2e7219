#include "ulpfuzz/runner/process.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace ulpfuzz::process {
namespace {

/// A child that does `work` until it is killed, a moment after it was begun.
class Busy {
 public:
  explicit Busy(void (*work)())
      : child_(fork_child([work](int fd) {
          write_all(fd, "!");
          for (;;) work();
          return 0;
        })) {
    std::string begun;
    read_some(child_.read_fd, begun);
  }
  ~Busy() {
    kill(child_.pid, SIGKILL);
    ending_of(child_);
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  pid_t pid() const { return child_.pid; }

 private:
  Child child_;
};

void spin() {
  static std::atomic<int> n;
  ++n;
}

bool soon(const std::function<bool()>& condition) {
  for (const auto began = Clock::now(); seconds_since(began) < 20; usleep(2000))
    if (condition()) return true;
  return false;
}

TEST(Process, IsKeptWaitingByOthersIfItIsReadyAndHadLittleOfItsTime) {
  const Busy busy(spin);
  EXPECT_TRUE(soon([&] { return is_kept_waiting(busy.pid(), 0.4, 1, 1); }));
  EXPECT_FALSE(is_kept_waiting(busy.pid(), 0.5, 1, 1));
  EXPECT_TRUE(soon([&] { return is_kept_waiting(busy.pid(), 0.4, 9.9, 1); }));
  EXPECT_FALSE(is_kept_waiting(busy.pid(), 0.4, 10, 1));
}

TEST(Process, IsNotKeptWaitingByOthersIfItSleepsOrIsStopped) {
  const Busy asleep([] { pause(); });
  EXPECT_TRUE(soon([&] { return !is_kept_waiting(asleep.pid(), 0, 1, 1); }));
  usleep(50000);
  EXPECT_FALSE(is_kept_waiting(asleep.pid(), 0, 1, 1));
  const Busy stopped(spin);
  kill(stopped.pid(), SIGSTOP);
  EXPECT_TRUE(soon([&] { return !is_kept_waiting(stopped.pid(), 0, 1, 1); }));
}

TEST(Process, CountsItsTimeOfCpusAlone) {
  const Busy asleep([] { pause(); }), busy(spin);
  EXPECT_TRUE(soon([&] { return cpu_seconds(busy.pid()) > 0.05; }));
  EXPECT_LT(cpu_seconds(asleep.pid()), 0.05);
  EXPECT_EQ(cpu_seconds(-1), 0);
}

TEST(Process, ThatSpinsForeverIsKilledWhenItHasHadItsTime) {
  const Ending ending = run_isolated(
      [](int) {
        for (;;) spin();
      },
      0.3, [](std::string_view) {});
  EXPECT_EQ(ending.how, Ending::How::timed_out);
}

}  // namespace
}  // namespace ulpfuzz::process
