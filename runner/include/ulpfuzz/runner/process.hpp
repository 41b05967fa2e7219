#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ulpfuzz::process {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A forked child, the read end of the pipe that it writes to, and where a sanitizer reports to.
struct Child {
  pid_t pid = -1;
  int read_fd = -1;
  int report_fd = -1;
  std::uint64_t memory = 0;  ///< mebibytes that it may take; 0: no limit
  std::uint64_t own = 0;     ///< of the forking process then, if there is a limit
};

/// Forks. The child runs `work(write_fd)` and ends with its return value by _exit, so that nothing
/// of the parent (buffers, atexit handlers, destructors) is done twice; it dies with its parent,
/// leaves SIGINT, SIGTERM, SIGHUP and SIGPIPE to it and writes no core. `memory`: mebibytes that it
/// may take (limit_memory()); 0: no limit. Throws std::system_error if it cannot fork.
Child fork_child(const std::function<int(int write_fd)>& work, std::uint64_t memory = 0);

/// How a child ended: by itself with `code`, by signal `code`, or killed here: after its time, when
/// that was asked for, or because of its memory. The last also if it ended itself once it had all
/// it may take.
struct Ending {
  enum class How { exited, signalled, timed_out, cancelled, grown };
  How how = How::exited;
  int code = 0;
  std::uint64_t memory = 0;  ///< mebibytes that it was allowed; 0: no limit
  std::string report;        ///< of a sanitizer
  bool well() const { return how == How::exited && code == 0; }
};
/// Can it be waited for at once?
bool has_ended(const Child& child);
/// Waits for a child that is to end, or has. Closes its files.
Ending ending_of(const Child& child);
/// Has it so much more memory than it may take that it is to be killed?
bool has_grown(const Child& child);
/// "killed by SIGSEGV (Segmentation fault)", "ended itself with exit code 3"
std::string describe(const Ending& ending);
/// "sigsegv", "exit 3", "timeout", "memory", "asan heap-buffer-overflow": for a bucket.
std::string word(const Ending& ending);

/// Time of CPUs that a process has had; 0 of one that is gone.
double cpu_seconds(pid_t pid);
/// Of a process that should have answered within `patience` seconds and was at work for `used`
/// seconds of the `waited` ones: does it but wait for a CPU, as on a busy machine? So it is if it
/// has not had half of its time and has a thread that is ready to run, up to ten times that time.
bool is_kept_waiting(pid_t pid, double used, double waited, double patience);

/// Writes all, whatever signals interrupt it. False if nobody reads.
bool write_all(int fd, std::string_view bytes);

/// Reads what is there into `buffer`; false at the end of the file.
bool read_some(int fd, std::string& buffer);

/// Runs `work` in a child and feeds what it writes to `sink` as it comes. Kills it when nothing was
/// heard for `silence` seconds (longer where is_kept_waiting()), when `cancelled` says so, or when
/// it has more than `memory` mebibytes (0: no limit).
Ending run_isolated(const std::function<void(int write_fd)>& work, double silence,
                    const std::function<void(std::string_view)>& sink,
                    const std::function<bool()>& cancelled = {}, std::uint64_t memory = 0);

}  // namespace ulpfuzz::process
