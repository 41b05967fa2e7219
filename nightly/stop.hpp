#pragma once

#include <signal.h>

namespace ulpfuzz::nightly {

/// While it lives, SIGINT, SIGTERM and SIGHUP ask for the end of the night instead of ending the
/// process, and a full quota (SIGXFSZ) is an error like a full disk. Campaigns put handlers of
/// their own above it and tell by CampaignResult::interrupted. One at a time.
class Stop {
 public:
  Stop();
  ~Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  bool requested() const;

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
  struct sigaction hangup_ {};
  struct sigaction pipe_ {};
  struct sigaction size_ {};
};

}  // namespace ulpfuzz::nightly
