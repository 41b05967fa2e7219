#include "statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "feedback.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::fuzz {

Statistics::Statistics(std::filesystem::path file) : file_(std::move(file)) { write(); }

double Statistics::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}

void Statistics::count(double share, double by_chance, bool failed) {
  ++executions_;
  share_probabilistic_ = std::max(share_probabilistic_, by_chance);
  share_max_ = std::max(share_max_, share);
  if (failed && ++failures_ == 1) {
    first_failure_ = executions_;
    first_failure_seconds_ = seconds();
  }
  // A clock is cheap beside a trial.
  if (Clock::now() - written_ >= std::chrono::seconds(1)) write();
}

std::string Statistics::json() const {
  const bool any = failures_ > 0;
  return fmt::format(
      "{{\"executions\": {}, \"seconds\": {:.3f}, \"share_max\": {}, "
      "\"share_probabilistic\": {}, \"failures\": {}, "
      "\"first_failure_execution\": {}, \"first_failure_seconds\": {}}}\n",
      executions_, seconds(), std::min(share_max_, std::numeric_limits<double>::max()),
      std::min(share_probabilistic_, std::numeric_limits<double>::max()), failures_,
      any ? fmt::format("{}", first_failure_) : "null",
      any ? fmt::format("{:.3f}", first_failure_seconds_) : "null");
}

// A full disk must not end a run that may find something.
void Statistics::write() {
  written_ = Clock::now();
  if (file_.empty()) return;
  const Unseen unseen;
  try {
    write_file_atomically(file_, json());
  } catch (const FileError& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
}

}  // namespace ulpfuzz::fuzz
