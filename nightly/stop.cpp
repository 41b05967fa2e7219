#include "stop.hpp"

namespace ulpfuzz::nightly {
namespace {

volatile sig_atomic_t requests = 0;

void on_request(int) { requests = requests + 1; }

}  // namespace

Stop::Stop() {
  requests = 0;
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

Stop::~Stop() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
  sigaction(SIGHUP, &hangup_, nullptr);
  sigaction(SIGPIPE, &pipe_, nullptr);
  sigaction(SIGXFSZ, &size_, nullptr);
}

bool Stop::requested() const { return requests > 0; }

}  // namespace ulpfuzz::nightly
