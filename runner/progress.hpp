#pragma once

#include <functional>
#include <string>

#include "ulpfuzz/runner/campaign.hpp"
#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz {

/// The line on the terminal that a person watches; nothing where `on` is false.
class Progress {
 public:
  Progress(bool on, std::function<void(const std::string&)> report);
  /// Draws `line` over the last one.
  void show(const std::string& line);
  void clear();
  /// A line that stays.
  void say(const std::string& line);

 private:
  bool on_;
  std::function<void(const std::string&)> report_;
  std::size_t width_ = 0;
};

/// "cases 12,345 (8,321/s)  failures 2 in 1 bucket  worst share 0.42 P/S  0:42"
std::string progress_line(const CampaignResult& so_far, double cases_per_second);

}  // namespace ulpfuzz
