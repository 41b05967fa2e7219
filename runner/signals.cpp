#include "ulpfuzz/runner/signals.hpp"

namespace ulpfuzz {
namespace {

volatile sig_atomic_t requests_seen = 0;
int guards = 0;

void on_request(int) { requests_seen = requests_seen + 1; }

}  // namespace

SignalGuard::SignalGuard() {
  if (guards++ == 0) requests_seen = 0;
  struct sigaction counting {};
  counting.sa_handler = on_request;  // without SA_RESTART: poll is to notice
  sigaction(SIGINT, &counting, &interrupt_);
  sigaction(SIGTERM, &counting, &terminate_);
  sigaction(SIGHUP, nullptr, &hangup_);
  if (hangup_.sa_handler != SIG_IGN) sigaction(SIGHUP, &counting, nullptr);  // under nohup it is
  struct sigaction ignoring {};
  ignoring.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignoring, &pipe_);
  sigaction(SIGXFSZ, &ignoring, &size_);
}

SignalGuard::~SignalGuard() {
  --guards;
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
  sigaction(SIGHUP, &hangup_, nullptr);
  sigaction(SIGPIPE, &pipe_, nullptr);
  sigaction(SIGXFSZ, &size_, nullptr);
}

int SignalGuard::requests() const { return requests_seen; }

}  // namespace ulpfuzz
