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
[[noreturn]] void keep(const KeptProgram& program, pid_t parent);

}  // namespace ulpfuzz::nightly
