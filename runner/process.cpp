#include "process.hpp"

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

namespace ulpfuzz::process {
namespace {

[[noreturn]] void run_child(const std::function<int(int)>& work, int write_fd, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(71);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  // A subject that installed nothing dies of these as a process without ulpfuzz would.
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) signal(number, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
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

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Child fork_child(const std::function<int(int write_fd)>& work) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  std::cout.flush();
  std::fflush(nullptr);  // else the child would write buffered output again
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    run_child(work, ends[1], parent);
  }
  const int error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  return {pid, ends[0]};
}

Ending ending_of(int status) {
  if (WIFSIGNALED(status)) return {Ending::How::signalled, WTERMSIG(status)};
  return {Ending::How::exited, WEXITSTATUS(status)};
}

std::string describe(const Ending& ending) {
  switch (ending.how) {
    case Ending::How::timed_out:
      return "made no progress and was killed";
    case Ending::How::cancelled:
      return "was interrupted";
    case Ending::How::signalled:
      return fmt::format("killed by {} ({})", signal_word(ending.code), strsignal(ending.code));
    case Ending::How::exited:
      break;
  }
  return fmt::format("ended itself with exit code {}", ending.code);
}

std::string word(const Ending& ending) {
  if (ending.how == Ending::How::timed_out) return "timeout";
  if (ending.how == Ending::How::cancelled) return "interrupted";
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

Ending run_isolated(const std::function<void(int write_fd)>& work, double silence,
                    const std::function<void(std::string_view)>& sink,
                    const std::function<bool()>& cancelled) {
  const Child child = fork_child([&](int fd) {
    work(fd);
    return 0;
  });
  Clock::time_point heard = Clock::now();
  std::optional<Ending::How> killed;
  std::string block;
  for (;;) {
    const double left = silence - seconds_since(heard);
    if (cancelled && cancelled()) {
      killed = Ending::How::cancelled;
    } else if (left <= 0) {
      killed = Ending::How::timed_out;
    }
    if (killed) {
      kill(child.pid, SIGKILL);
      break;
    }
    pollfd waiting{child.read_fd, POLLIN, 0};
    const int timeout = static_cast<int>(std::min(left * 1000 + 1, cancelled ? 100.0 : 60000.0));
    if (poll(&waiting, 1, timeout) <= 0) continue;
    block.clear();
    if (!read_some(child.read_fd, block)) break;
    heard = Clock::now();
    sink(block);
  }
  close(child.read_fd);
  const Ending ending = ending_of(wait_for(child.pid));
  return killed ? Ending{*killed, SIGKILL} : ending;
}

}  // namespace ulpfuzz::process
