#include "program_run.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <thread>

#include "keeper.hpp"

namespace ulpfuzz::nightly {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double grace = 2;  // seconds between SIGTERM and SIGKILL, and for a keeper's own work

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string item = *at;
    if (more.count(item.substr(0, item.find('='))) == 0) all.push_back(item);
  }
  for (const auto& [name, value] : more) all.push_back(name + "=" + value);
  return all;
}

double seconds_since(Clock::time_point then) {
  return std::chrono::duration<double>(Clock::now() - then).count();
}

}  // namespace

std::string ProgramEnding::text() const {
  switch (how) {
    case How::running:
      return "is running";
    case How::exited:
      return fmt::format("ended with exit code {}", code);
    case How::signalled:
      return fmt::format("was killed by signal {}", code);
    case How::stopped:
      return "was stopped";
  }
  return {};
}

ProgramRun::ProgramRun(const std::vector<std::string>& command,
                       const std::map<std::string, std::string>& environment,
                       const std::filesystem::path& folder) {
  std::vector<std::string> words = command;
  std::vector<std::string> variables = environment_with(environment);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);
  const std::string log = (folder / "log").string();
  std::fflush(nullptr);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) keep({argv.data(), envp.data(), folder.c_str(), log.c_str()}, parent);
  setpgid(pid_, pid_);  // in both processes: who comes first is not known
}

bool ProgramRun::look() {
  if (ending_.how != ProgramEnding::How::running) return true;
  siginfo_t over{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &over, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      over.si_pid == 0) {
    // A keeper that is stopped again and again, or waits for what cannot be killed.
    if (killed_ && seconds_since(*killed_) > grace)
      for (const pid_t pid : {-pid_, pid_}) kill(pid, SIGKILL);
    return false;
  }
  kill(-pid_, SIGKILL);  // if its keeper was killed; its number is still taken
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  const int killed = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (asked_ && (killed == SIGTERM || killed == SIGKILL))
    ending_ = {ProgramEnding::How::stopped, 0};
  else if (killed != 0)
    ending_ = {ProgramEnding::How::signalled, killed};
  else
    ending_ = {ProgramEnding::How::exited, WEXITSTATUS(status)};
  return true;
}

void ProgramRun::ask(int signal) {
  if (ending_.how != ProgramEnding::How::running) return;
  asked_ = true;
  if (signal != SIGKILL) {
    kill(-pid_, signal);
    return;
  }
  killed_ = Clock::now();
  kill(pid_, end_signal);  // what is in other groups, too
  kill(-pid_, SIGCONT);    // one that is stopped hears nothing
}

void wait_for(std::vector<ProgramRun>& running, double seconds,
              const std::function<bool()>& cancelled) {
  const auto began = Clock::now();
  Clock::time_point asked{};
  bool killed = false;
  while (true) {
    bool all = true;
    for (ProgramRun& program : running) all = program.look() && all;
    if (all) return;
    if (asked == Clock::time_point{} && (cancelled() || seconds_since(began) > seconds)) {
      asked = Clock::now();
      for (ProgramRun& program : running) program.ask(SIGTERM);
    } else if (asked != Clock::time_point{} && !killed && seconds_since(asked) > grace) {
      killed = true;
      for (ProgramRun& program : running) program.ask(SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace ulpfuzz::nightly
