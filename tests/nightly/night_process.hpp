#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "../runner/tool_run.hpp"

namespace ulpfuzz {

/// `ulpfuzz nightly` beside the test, to be hit with signals.
class NightProcess {
 public:
  NightProcess(const mutants::Scratch& scratch, const std::vector<std::string>& arguments) {
    std::vector<std::string> words{tool, "nightly"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string log = (scratch / "log").string();
    pid_ = fork();
    if (pid_ != 0) return;
    const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    dup2(out, 1);
    dup2(out, 2);
    execv(argv[0], argv.data());
    _exit(127);
  }
  ~NightProcess() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  NightProcess(const NightProcess&) = delete;
  NightProcess& operator=(const NightProcess&) = delete;

  void signal(int number) const { kill(pid_, number); }
  /// Its exit code, or 1000 and the signal that ended it.
  int wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  std::vector<pid_t> children() const {
    std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", pid_));
    std::vector<pid_t> all;
    for (pid_t child = 0; file >> child;) all.push_back(child);
    return all;
  }

 private:
  pid_t pid_ = 0;
};

/// Is it so within some seconds?
inline bool comes_true(const std::function<bool()>& condition, double seconds = 20) {
  const auto began = std::chrono::steady_clock::now();
  while (!condition()) {
    if (std::chrono::steady_clock::now() - began > std::chrono::duration<double>(seconds))
      return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

inline double seconds_of(const std::function<void()>& what) {
  const auto began = std::chrono::steady_clock::now();
  what();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

}  // namespace ulpfuzz
