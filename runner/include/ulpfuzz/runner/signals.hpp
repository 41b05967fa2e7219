#pragma once

#include <signal.h>

namespace ulpfuzz {

/// While it lives, SIGINT, SIGTERM and SIGHUP are counted instead of ending the process, and
/// SIGPIPE is ignored, as is SIGXFSZ, so that a full quota is an error like a full disk; then the
/// former handlers are back. One within another counts on: what was asked before also ends what
/// begins only now.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  int requests() const;  ///< to stop, since the outermost guard

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
  struct sigaction hangup_ {};
  struct sigaction pipe_ {};
  struct sigaction size_ {};
};

}  // namespace ulpfuzz
