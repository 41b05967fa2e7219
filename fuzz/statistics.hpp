#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ulpfuzz::fuzz {

/// What a run has done so far, as one JSON object in a file, replaced at most each second, at each
/// finding of a new kind and at the end.
class Statistics {
 public:
  explicit Statistics(std::filesystem::path file);

  /// Called once an input. `by_chance`: the largest share that a probabilistic bound gave, of what
  /// passed.
  void count(double share, double by_chance, bool failed);
  void write();
  std::string json() const;

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const;

  std::filesystem::path file_;
  Clock::time_point begin_ = Clock::now(), written_ = begin_;
  std::uint64_t executions_ = 0, failures_ = 0, first_failure_ = 0;
  double share_max_ = 0, share_probabilistic_ = 0, first_failure_seconds_ = 0;
};

}  // namespace ulpfuzz::fuzz
