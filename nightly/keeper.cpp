#include "keeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>

namespace ulpfuzz::nightly {
namespace {

constexpr int cannot_keep = 125;                   // none of libFuzzer's; 126 and 127 are shells'
constexpr std::chrono::seconds longest_deaths{5};  // of what was killed

[[noreturn]] void give_up(const char* what) {
  dprintf(2, "ulpfuzz: %s: %s\n", what, std::strerror(errno));
  _exit(cannot_keep);
}

/// Its own, and what these leave behind: that is handed to the nearest subreaper, which this is.
void end_children() {
  const auto began = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - began < longest_deaths) {
    std::ifstream children(fmt::format("/proc/self/task/{}/children", getpid()));
    if (!children) return;  // not every kernel tells; the group is killed all the same
    for (pid_t child = 0; children >> child;) kill(child, SIGKILL);
    pid_t ended = 0;
    do ended = waitpid(-1, nullptr, WNOHANG);
    while (ended > 0);
    if (ended < 0) return;  // there are none
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(number, SIG_DFL);
    sigset_t only{};
    sigemptyset(&only);
    sigaddset(&only, number);
    sigprocmask(SIG_UNBLOCK, &only, nullptr);
    kill(getpid(), number);
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : cannot_keep);
}

[[noreturn]] void become(const KeptProgram& program, pid_t keeper, const sigset_t& mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != keeper) _exit(cannot_keep);                        // nobody is there to be told
  for (const int number : {SIGINT, SIGHUP}) signal(number, SIG_IGN);  // the night tells it
  for (const int number : {SIGTERM, SIGPIPE, SIGXFSZ}) signal(number, SIG_DFL);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execve(program.argv[0], program.argv, program.envp);
  dprintf(2, "%s: cannot be started: %s\n", program.argv[0], std::strerror(errno));
  _exit(127);
}

bool enter(const KeptProgram& program) {
  const int in = open("/dev/null", O_RDONLY);
  const int out = open(program.log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  return in >= 0 && out >= 0 && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0 &&
         chdir(program.folder) == 0;
}

/// True once it has ended. Orphans that end are waited for, too.
bool has_ended(pid_t program, int& status) {
  bool over = false;
  int code = 0;
  for (pid_t ended = 0; (ended = waitpid(-1, &code, WNOHANG)) > 0;)
    if (ended == program) {
      over = true;
      status = code;
    }
  return over;
}

}  // namespace

void keep(const KeptProgram& program, pid_t parent) {
  sigset_t heard{}, before{};
  sigemptyset(&heard);
  sigaddset(&heard, SIGCHLD);
  sigaddset(&heard, end_signal);
  sigprocmask(SIG_BLOCK, &heard, &before);
  for (const int number : {SIGCHLD, end_signal}) signal(number, SIG_DFL);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, SIG_IGN);  // for the program
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, end_signal);
  if (getppid() != parent || getpgrp() != getpid()) _exit(cannot_keep);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (!enter(program)) give_up(program.log);
  const pid_t keeper = getpid(), child = fork();
  if (child < 0) give_up("fork");
  if (child == 0) become(program, keeper, before);
  int status = 0;
  while (!has_ended(child, status)) {
    int number = 0;
    sigwait(&heard, &number);
    if (number != end_signal) continue;
    end_children();
    kill(0, SIGKILL);
  }
  end_children();
  end_like(status);
}

}  // namespace ulpfuzz::nightly
