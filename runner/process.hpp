#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

namespace ulpfuzz::process {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A forked child and the read end of the pipe that it writes to.
struct Child {
  pid_t pid = -1;
  int read_fd = -1;
};

/// Forks. The child runs `work(write_fd)` and ends with its return value by _exit, so that nothing
/// of the parent (buffers, atexit handlers, destructors) is done twice; it dies with its parent,
/// leaves SIGINT, SIGTERM, SIGHUP and SIGPIPE to it and writes no core. Throws std::system_error if
/// it cannot fork.
Child fork_child(const std::function<int(int write_fd)>& work);

/// How a child ended: by itself with `code`, by signal `code`, or killed here: after its time or
/// when that was asked for.
struct Ending {
  enum class How { exited, signalled, timed_out, cancelled };
  How how = How::exited;
  int code = 0;
  bool well() const { return how == How::exited && code == 0; }
};
/// From waitpid's status.
Ending ending_of(int status);
/// "killed by SIGSEGV (Segmentation fault)", "ended itself with exit code 3"
std::string describe(const Ending& ending);
/// "sigsegv", "exit 3", "timeout": a word for a bucket.
std::string word(const Ending& ending);

/// Writes all, whatever signals interrupt it. False if nobody reads.
bool write_all(int fd, std::string_view bytes);

/// Reads what is there into `buffer`; false at the end of the file.
bool read_some(int fd, std::string& buffer);

/// Runs `work` in a child and feeds what it writes to `sink` as it comes. Kills it when nothing was
/// heard for `silence` seconds or when `cancelled` says so.
Ending run_isolated(const std::function<void(int write_fd)>& work, double silence,
                    const std::function<void(std::string_view)>& sink,
                    const std::function<bool()>& cancelled = {});

}  // namespace ulpfuzz::process
