#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plan.hpp"
#include "shared_state.hpp"
#include "ulpfuzz/runner/campaign.hpp"

namespace ulpfuzz {

/// How a campaign went: a line now and then, in stats.jsonl and in memory.
class OverTime {
 public:
  /// `file` is made with the first line, anew.
  OverTime(std::filesystem::path file, double interval)
      : file_(std::move(file)), interval_(interval) {}
  ~OverTime();
  OverTime(const OverTime&) = delete;
  OverTime& operator=(const OverTime&) = delete;

  /// `seconds`: since the campaign began.
  bool is_due(double seconds) const { return seconds - last_ >= interval_; }
  /// One write. Throws FileError; the line is kept in memory then, and no part of it in the file.
  void add(StatisticsLine line);
  /// All; of a long campaign, neighbours are united to keep them few.
  const std::vector<StatisticsLine>& lines() const { return lines_; }

 private:
  void append(const std::string& text);

  std::filesystem::path file_;
  double interval_;
  double last_ = 0;
  int fd_ = -1;
  std::vector<StatisticsLine> lines_;
};

/// The largest shares since this was called last, by property and tier; begins a new interval.
std::map<std::string, std::map<std::string, double>> take_recent_shares(SharedState& state,
                                                                        const Plan& plan,
                                                                        std::size_t workers);

}  // namespace ulpfuzz
