#pragma once

#include <signal.h>
#include <sys/types.h>

namespace ulpfuzz::nightly {

/// A program to run in a folder, with its output in a log.
struct KeptProgram {
  char* const* argv;
  char* const* envp;
  const char* folder;
  const char* log;
};

/// Tells a keeper to end all of it at once; so does the end of its parent, whatever ended that.
inline constexpr int end_signal = SIGUSR1;

/// What a forked process does between the one that asked for a program and the program: it stays
/// until the program has ended and then ends like it, after all that the program has started, at
/// any depth and in any session. They form a process group. `parent`: who forked.
/// What that cannot promise: of a keeper that is killed itself (SIGKILL), or under a kernel that
/// does not tell of children (CONFIG_PROC_CHILDREN), only the program and its group end; and what
/// does not die in five seconds of a SIGKILL, as in a call to a disk that is gone, is left.
/// Exit code 125 where the program cannot be kept, with the reason on stderr.
[[noreturn]] void keep(const KeptProgram& program, pid_t parent);

}  // namespace ulpfuzz::nightly
