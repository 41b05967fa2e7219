#include "over_time.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz {
namespace {

constexpr std::size_t most_lines = 2000;

[[noreturn]] void refuse(const std::filesystem::path& file, int error) {
  throw FileError(fmt::format("{}: cannot be written: {}; make room there", file.string(),
                              std::generic_category().message(error)));
}

/// Totals are those of the later one; shares the larger ones.
void unite(StatisticsLine& into, StatisticsLine&& later) {
  for (const auto& [property, tiers] : into.share)
    for (const auto& [tier, share] : tiers) {
      double& largest = later.share[property][tier];
      largest = std::max(largest, share);
    }
  into = std::move(later);
}

void thin_out(std::vector<StatisticsLine>& lines) {
  for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
    unite(lines[i], std::move(lines[i + 1]));
    std::swap(lines[i / 2], lines[i]);
  }
  if (lines.size() % 2 == 1) std::swap(lines[lines.size() / 2], lines.back());
  lines.resize((lines.size() + 1) / 2);
}

}  // namespace

OverTime::~OverTime() {
  if (fd_ >= 0) close(fd_);
}

void OverTime::add(StatisticsLine line) {
  last_ = line.seconds;
  const std::string text = statistics_json(line) + "\n";
  lines_.push_back(std::move(line));
  if (lines_.size() > most_lines) thin_out(lines_);
  append(text);
}

void OverTime::append(const std::string& text) {
  if (fd_ < 0) fd_ = open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) refuse(file_, errno);
  const off_t before = lseek(fd_, 0, SEEK_END);
  const ssize_t written = write(fd_, text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return;
  const int error = written < 0 ? errno : ENOSPC;
  // A torn line would take the next one along.
  if (written > 0 && ftruncate(fd_, before) != 0) refuse(file_, errno);
  refuse(file_, error);
}

std::map<std::string, std::map<std::string, double>> take_recent_shares(SharedState& state,
                                                                        const Plan& plan,
                                                                        std::size_t workers) {
  const std::uint64_t interval = state.interval().fetch_add(1);
  std::map<std::string, std::map<std::string, double>> shares;
  for (std::size_t w = 0; w < workers; ++w)
    for (std::size_t p = 0; p < plan.pairs.size(); ++p) {
      const RecentShares& recent = state.counters(w)[p].recent[interval % 2];
      if (recent.interval != interval) continue;
      auto& tiers = shares[std::string(plan.pairs[p].property->name)];
      for (std::size_t t = 0; t < tier_count; ++t) {
        if (recent.share[t] <= 0) continue;
        double& largest = tiers[std::string(name(static_cast<Tier>(t)))];
        largest = std::max(largest, recent.share[t]);
      }
    }
  return shares;
}

}  // namespace ulpfuzz
