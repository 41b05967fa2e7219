#include "progress.hpp"

#include <fmt/format.h>

#include "say.hpp"

namespace ulpfuzz {

Progress::Progress(bool on, std::function<void(const std::string&)> report)
    : on_(on), report_(std::move(report)) {}

void Progress::show(const std::string& line) {
  if (!on_) return;
  const std::size_t blanks = width_ > line.size() ? width_ - line.size() : 0;
  ulpfuzz::say(stderr, fmt::format("\r{}{:{}}", line, "", blanks));
  width_ = line.size();
}

void Progress::clear() {
  if (width_ == 0) return;
  ulpfuzz::say(stderr, fmt::format("\r{:{}}\r", "", width_));
  width_ = 0;
}

void Progress::say(const std::string& line) {
  clear();
  if (report_) report_(line);
}

std::string progress_line(const CampaignResult& r, double cases_per_second) {
  std::string worst;
  double share = 0;
  for (const auto& [property, subjects] : r.share_max) {
    for (const auto& [subject, value] : subjects) {
      if (value <= share) continue;
      share = value;
      worst = fmt::format("worst share {:.2f} {}/{}  ", value, property, subject);
    }
  }
  const std::uint64_t failures = r.verdicts.count("fail") != 0 ? r.verdicts.at("fail") : 0;
  std::string found;
  if (failures > 0)
    found = fmt::format("failures {} in {}  ", with_commas(failures),
                        counted(r.buckets.size(), "bucket"));
  std::string climbing;
  if (!r.over_time.empty() && r.over_time.back().climbing > 0)
    climbing = fmt::format("climbing {:.0f}%  ", 100 * r.over_time.back().climbing);
  return fmt::format("cases {} ({}/s)  {}{}{}{}", with_commas(r.cases),
                     with_commas(static_cast<std::uint64_t>(cases_per_second)), found, climbing,
                     worst, clock_text(r.seconds));
}

}  // namespace ulpfuzz
