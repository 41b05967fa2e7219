#include "trials.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <system_error>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/search/features.hpp"

namespace ulpfuzz::nightly {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int broken = 72;                     // exit code: the subject is, after a whole trial
constexpr std::size_t trials_a_context = 256;  // before its buffers are given back

/// One child: judges trials first, first + step, ... and writes, for each, {index, failed, count,
/// features...} as numbers of 32 bits.
struct Child {
  pid_t pid = -1;
  int fd = -1;
  std::size_t next = 0;  ///< trial that it is at
  std::vector<char> inbox;
  Clock::time_point heard = Clock::now();
};

void write_all(int fd, const std::vector<std::uint32_t>& message) {
  const char* bytes = reinterpret_cast<const char*>(message.data());
  std::size_t left = message.size() * sizeof message[0];
  while (left > 0) {
    const ssize_t n = write(fd, bytes, left);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(71);
    bytes += n;
    left -= static_cast<std::size_t>(n);
  }
}

void work(std::span<const Trial> trials, std::size_t first, std::size_t step, int fd) {
  std::optional<CheckContext> context;
  std::size_t done = 0;
  for (std::size_t i = first; i < trials.size(); i += step) {
    if (done++ % trials_a_context == 0) context.emplace();
    const Trial& t = trials[i];
    CheckOptions check;
    const auto noted = t.file->notes.find("bitwise");
    check.bitwise = noted != t.file->notes.end() && noted->second == "yes";
    const Verdict v = judge(*t.property, t.file->value, *t.subject, check, *context);
    const auto shown = search::features(t.file->value, v, t.property->needs_gradient);
    std::vector<std::uint32_t> message{static_cast<std::uint32_t>(i), v.failed() ? 1U : 0U,
                                       static_cast<std::uint32_t>(shown.size())};
    message.insert(message.end(), shown.begin(), shown.end());
    write_all(fd, message);
    if (t.subject->broken()) _exit(broken);
  }
}

/// So that a subject that takes memory without end is refused it here, too. Not where a device's
/// driver may want terabytes of addresses.
void limit_memory(std::span<const Trial> trials, std::uint64_t megabytes) {
  for (const Trial& t : trials)
    if (t.subject->name().starts_with("cu")) return;
  std::uint64_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
  std::ifstream("/proc/self/statm") >> size >> resident >> shared >> text >> library >> data;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const rlimit limit{data * page + (megabytes << 20), RLIM_INFINITY};
  if (data > 0) setrlimit(RLIMIT_DATA, &limit);
}

[[noreturn]] void be_child(std::span<const Trial> trials, std::size_t first,
                           const TrialOptions& options, int fd, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(71);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) signal(number, SIG_IGN);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  try {
    limit_memory(trials, options.memory_limit);
    work(trials, first, options.jobs, fd);
  } catch (...) {
    _exit(70);
  }
  _exit(0);
}

Child fork_child(std::span<const Trial> trials, std::size_t first, const TrialOptions& options) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "pipe");
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) be_child(trials, first, options, ends[1], parent);
  const int error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    throw std::system_error(error, std::generic_category(), "fork");
  }
  Child child;
  child.pid = pid;
  child.fd = ends[0];
  child.next = first;
  return child;
}

class Judging {
 public:
  Judging(std::span<const Trial> trials, const TrialOptions& options)
      : trials_(trials), options_(options), shown_(trials.size()) {}

  std::vector<std::optional<Shown>> run() {
    for (std::size_t w = 0; w < options_.jobs && w < trials_.size(); ++w)
      children_.push_back(fork_child(trials_, w, options_));
    while (!children_.empty()) {
      wait_for_news();
      for (std::size_t c = 0; c < children_.size();) {
        if (look_after(children_[c]))
          ++c;
        else
          children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(c));
      }
    }
    return std::move(shown_);
  }

 private:
  void wait_for_news() {
    std::vector<pollfd> waiting;
    for (const Child& c : children_) waiting.push_back({c.fd, POLLIN, 0});
    poll(waiting.data(), waiting.size(), 50);
  }

  /// False once all its trials are done.
  bool look_after(Child& c) {
    const bool stop = options_.cancelled && options_.cancelled();
    const bool late =
        std::chrono::duration<double>(Clock::now() - c.heard).count() > options_.case_timeout;
    if (stop || late) kill(c.pid, SIGKILL);
    pollfd ready{c.fd, POLLIN, 0};
    if (poll(&ready, 1, 0) <= 0 && !stop && !late) return true;
    if (read_some(c)) return true;
    close(c.fd);
    int status = 0;
    waitpid(c.pid, &status, 0);
    const bool broke = WIFEXITED(status) && WEXITSTATUS(status) == broken;
    if (stop || c.next >= trials_.size()) return false;
    // It ended in the middle: that trial shows nothing, the rest goes on elsewhere. Where a
    // subject that is broken ended it, the trial before was its last.
    const std::size_t rest = broke ? c.next : c.next + options_.jobs;
    if (rest >= trials_.size()) return false;
    c = fork_child(trials_, rest, options_);
    return true;
  }

  /// False at the end.
  bool read_some(Child& c) {
    std::array<char, 1 << 16> block;
    const ssize_t n = read(c.fd, block.data(), block.size());
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    if (n == 0) return false;
    c.heard = Clock::now();
    c.inbox.insert(c.inbox.end(), block.begin(), block.begin() + n);
    take(c);
    return true;
  }

  void take(Child& c) {
    constexpr std::size_t word = sizeof(std::uint32_t), head = 3 * word;
    std::size_t from = 0;
    while (c.inbox.size() - from >= head) {
      std::array<std::uint32_t, 3> h{};
      std::memcpy(h.data(), c.inbox.data() + from, head);
      if (c.inbox.size() - from < head + h[2] * word) break;
      Shown shown;
      shown.failed = h[1] != 0;
      shown.features.resize(h[2]);
      std::memcpy(shown.features.data(), c.inbox.data() + from + head, h[2] * word);
      shown_[h[0]] = std::move(shown);
      c.next = h[0] + options_.jobs;
      from += head + h[2] * word;
    }
    c.inbox.erase(c.inbox.begin(), c.inbox.begin() + static_cast<std::ptrdiff_t>(from));
  }

  std::span<const Trial> trials_;
  const TrialOptions& options_;
  std::vector<std::optional<Shown>> shown_;
  std::vector<Child> children_;
};

}  // namespace

std::vector<std::optional<Shown>> judge_all(std::span<const Trial> trials,
                                            const TrialOptions& options) {
  return Judging(trials, options).run();
}

}  // namespace ulpfuzz::nightly
