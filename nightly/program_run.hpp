#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ulpfuzz::nightly {

struct ProgramEnding {
  enum class How { running, exited, signalled, stopped };
  How how = How::running;
  int code = 0;
  std::string text() const;  ///< "ended with exit code 77", "was killed by signal 11"
};

/// Another program at work, in a folder, with its output in `log` there. It dies with this process,
/// and all that it has started, at any depth, with the program; keep() names the exceptions.
class ProgramRun {
 public:
  /// Throws std::system_error if it cannot be started.
  ProgramRun(const std::vector<std::string>& command,
             const std::map<std::string, std::string>& environment,
             const std::filesystem::path& folder);
  ProgramRun(ProgramRun&&) = default;
  ProgramRun& operator=(ProgramRun&&) = default;

  const ProgramEnding& ending() const { return ending_; }
  bool look();  ///< has it ended?
  /// To end. SIGKILL ends all that the program has started, too, or, two seconds later, at least
  /// its group and whoever keeps it.
  void ask(int signal);

 private:
  pid_t pid_ = -1;  ///< of its keeper
  bool asked_ = false;
  std::optional<std::chrono::steady_clock::time_point> killed_;  ///< when it was asked to
  ProgramEnding ending_;
};

/// Until all have ended. After `seconds`, or when `cancelled` says so, they are asked to end
/// (SIGTERM), and killed two seconds later.
void wait_for(std::vector<ProgramRun>& running, double seconds,
              const std::function<bool()>& cancelled);

}  // namespace ulpfuzz::nightly
