#include "ulpfuzz/runner/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <optional>
#include <system_error>

#include "memory.hpp"
#include "sanitizer.hpp"

namespace ulpfuzz::process {
namespace {

[[noreturn]] void run_child(const std::function<int(int)>& work, int write_fd, const Child& child,
                            pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(71);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  // A subject that installed nothing dies of these as a process without ulpfuzz would.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) signal(number, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  limit_memory(child.memory);
  report_to(child.report_fd);
  int code = 70;
  try {
    code = work(write_fd);
  } catch (...) {
  }
  std::fflush(nullptr);
  _exit(code);
}

std::string signal_word(int number) {
  const char* short_name = sigabbrev_np(number);
  return short_name != nullptr ? fmt::format("SIG{}", short_name)
                               : fmt::format("signal {}", number);
}

/// What a program does that is refused memory and does not look at the answer is anything.
bool had_all(const Child& child, const rusage& usage) {
  const auto peak = static_cast<std::uint64_t>(usage.ru_maxrss) / 1024;
  return child.memory != 0 && peak >= child.own + child.memory - child.memory / 8;
}

}  // namespace

Child fork_child(const std::function<int(int write_fd)>& work, std::uint64_t memory) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  std::cout.flush();
  std::fflush(nullptr);  // else the child would write buffered output again
  Child child;
  child.report_fd = open_report();
  child.memory = memory;
  if (memory != 0) {
    child.own = own_memory();
  }
  const pid_t parent = getpid();
  child.pid = fork();
  child.read_fd = ends[0];
  if (child.pid == 0) {
    close(ends[0]);
    run_child(work, ends[1], child, parent);
  }
  const int error = errno;
  close(ends[1]);
  if (child.pid < 0) {
    close(ends[0]);
    if (child.report_fd >= 0) close(child.report_fd);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  return child;
}

bool has_grown(const Child& child) {
  return child.memory != 0 && own_memory(child.pid) > child.own + most_own_memory(child.memory);
}

bool has_ended(const Child& child) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0
             ? errno != EINTR
             : info.si_pid != 0;
}

Ending ending_of(const Child& child) {
  int status = 0;
  rusage usage{};
  pid_t got = 0;
  do got = wait4(child.pid, &status, 0, &usage);
  while (got < 0 && errno == EINTR);
  close(child.read_fd);
  Ending e;
  e.memory = child.memory;
  e.report = take_report(child.report_fd);
  if (got < 0) {
    e.code = 71;
  } else if (WIFSIGNALED(status)) {
    e.how = Ending::How::signalled;
    e.code = WTERMSIG(status);
  } else {
    e.code = WEXITSTATUS(status);
  }
  if (!e.well() && (is_out_of_memory(e.report) || had_all(child, usage)))
    e.how = Ending::How::grown;
  return e;
}

std::string describe(const Ending& ending) {
  switch (ending.how) {
    case Ending::How::timed_out:
      return "made no progress and was killed";
    case Ending::How::cancelled:
      return "was interrupted";
    case Ending::How::grown:
      return ending.memory == 0 ? "could get no more memory"
                                : fmt::format("took more than {} MiB of memory", ending.memory);
    case Ending::How::signalled:
      if (!ending.report.empty()) break;
      return fmt::format("killed by {} ({})", signal_word(ending.code), strsignal(ending.code));
    case Ending::How::exited:
      break;
  }
  if (!ending.report.empty()) return fmt::format("ended by {}", report_sentence(ending.report));
  return fmt::format("ended itself with exit code {}", ending.code);
}

std::string word(const Ending& ending) {
  if (ending.how == Ending::How::timed_out) return "timeout";
  if (ending.how == Ending::How::cancelled) return "interrupted";
  if (ending.how == Ending::How::grown) return "memory";
  const std::string cause = report_cause(ending.report);
  if (!cause.empty()) return cause;
  if (ending.how == Ending::How::exited) return fmt::format("exit {}", ending.code);
  std::string text = signal_word(ending.code);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool read_some(int fd, std::string& buffer) {
  std::array<char, 65536> block;
  for (;;) {
    const ssize_t n = read(fd, block.data(), block.size());
    if (n > 0) buffer.append(block.data(), static_cast<std::size_t>(n));
    if (n >= 0) return n > 0;
    if (errno != EINTR) return errno == EAGAIN;
  }
}

/// Seconds, at one whose time is over and that is kept waiting.
constexpr double next_look = 0.1;

Ending run_isolated(const std::function<void(int write_fd)>& work, double silence,
                    const std::function<void(std::string_view)>& sink,
                    const std::function<bool()>& cancelled, std::uint64_t memory) {
  const Child child = fork_child(
      [&](int fd) {
        work(fd);
        return 0;
      },
      memory);
  Clock::time_point heard = Clock::now();
  double cpu_then = 0;
  std::optional<Ending::How> killed;
  std::string block;
  for (;;) {
    const double waited = seconds_since(heard);
    if (cancelled && cancelled()) {
      killed = Ending::How::cancelled;
    } else if (waited >= silence &&
               !is_kept_waiting(child.pid, cpu_seconds(child.pid) - cpu_then, waited, silence)) {
      killed = Ending::How::timed_out;
    } else if (has_grown(child)) {
      killed = Ending::How::grown;
    }
    if (killed) {
      kill(child.pid, SIGKILL);
      break;
    }
    pollfd waiting{child.read_fd, POLLIN, 0};
    const double turn = memory != 0 ? 50 : cancelled ? 100 : 60000;
    const double left = std::max(silence - waited, next_look);
    const int timeout = static_cast<int>(std::min(left * 1000 + 1, turn));
    if (poll(&waiting, 1, timeout) <= 0) continue;
    block.clear();
    if (!read_some(child.read_fd, block)) break;
    heard = Clock::now();
    cpu_then = cpu_seconds(child.pid);
    sink(block);
  }
  Ending ending = ending_of(child);
  if (killed) ending = {*killed, SIGKILL, memory, std::move(ending.report)};
  return ending;
}

}  // namespace ulpfuzz::process
