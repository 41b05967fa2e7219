#include <algorithm>
#include <cmath>
#include <set>

#include "merge_totals.hpp"

namespace ulpfuzz::nightly {
namespace {

using report::Night;
using report::Phase;
using report::Sample;

constexpr double most_points = 240;  ///< of a phase: more than a chart shows

/// What of a phase the others do not know is worse.
int rank(Phase::State state) {
  switch (state) {
    case Phase::State::failed:
      return 4;
    case Phase::State::cut:
      return 3;
    case Phase::State::not_begun:
      return 2;
    case Phase::State::done:
      return 1;
    case Phase::State::skipped:
      return 0;
  }
  return 0;
}

Phase united_phase(const std::string& name, const Nights& nights) {
  Phase all{.name = name, .state = Phase::State::skipped, .note = {}};
  std::vector<std::string> notes;
  std::size_t begun = 0, failed = 0;
  for (const auto& [id, night] : nights)
    for (const Phase& p : night.phases) {
      if (p.name != name) continue;
      if (rank(p.state) > rank(all.state)) all.state = p.state;
      begun += p.state != Phase::State::not_begun;
      failed += p.state == Phase::State::failed;
      all.budget = std::max(all.budget, p.budget);
      all.seconds = std::max(all.seconds, p.seconds);
      all.cases += p.cases;
      if (!p.note.empty()) notes.push_back(p.note);
    }
  // What one machine of many could not do is no failure of the night; the errors name it.
  if (failed > 0 && failed < begun) all.state = Phase::State::cut;
  if (!notes.empty()) all.note = together(notes, nights.size());
  return all;
}

/// The lines of one night's phase, by time.
using Lines = std::vector<const StatisticsLine*>;

std::vector<Lines> lines_of(const Nights& nights, const std::string& phase) {
  std::vector<Lines> all;
  for (const auto& [id, night] : nights) {
    Lines lines;
    for (const Sample& s : night.over_time)
      if (s.phase == phase) lines.push_back(&s.line);
    std::stable_sort(lines.begin(), lines.end(),
                     [](auto* a, auto* b) { return a->seconds < b->seconds; });
    if (!lines.empty()) all.push_back(std::move(lines));
  }
  return all;
}

/// Times of all lines, or of a grid where these are too many.
std::vector<double> times_of(const std::vector<Lines>& all) {
  std::set<double> times;
  for (const Lines& lines : all)
    for (const StatisticsLine* line : lines) times.insert(line->seconds);
  if (static_cast<double>(times.size()) <= most_points) return {times.begin(), times.end()};
  const double step = std::ceil((*times.rbegin() - *times.begin()) / most_points);
  std::set<double> grid;
  for (const double t : times) grid.insert(std::ceil(t / step) * step);
  return {grid.begin(), grid.end()};
}

/// Between two lines of a shard: it went on all the while, not all at once when it wrote the later.
std::uint64_t between(std::uint64_t before, std::uint64_t after, double part) {
  if (after < before) return before;
  return before + static_cast<std::uint64_t>(part * static_cast<double>(after - before));
}

/// What one shard had come to: its latest line, and what it did of the way to the next one.
void add_totals(StatisticsLine& sum, const Lines& lines, std::size_t next, double time) {
  const StatisticsLine& line = *lines[next - 1];
  const StatisticsLine& later = *lines[std::min(next, lines.size() - 1)];
  const double length = later.seconds - line.seconds;
  const double part = length > 0 ? (time - line.seconds) / length : 0;
  const std::uint64_t cases = between(line.cases, later.cases, part);
  sum.cases += cases;
  sum.elements += between(line.elements, later.elements, part);
  sum.fail += line.fail;
  sum.vacuous += line.vacuous;
  sum.buckets += line.buckets;
  sum.corpus += line.corpus;
  sum.climbing += line.climbing * static_cast<double>(cases);
}

void add_shares(StatisticsLine& sum, const StatisticsLine& line) {
  for (const auto& [property, tiers] : line.share)
    for (const auto& [tier, share] : tiers) {
      double& largest = sum.share[property][tier];
      largest = std::max(largest, share);
    }
}

void add_phase(std::vector<Sample>& samples, const std::string& phase,
               const std::vector<Lines>& all) {
  std::vector<std::size_t> next(all.size(), 0);
  for (const double time : times_of(all)) {
    StatisticsLine sum;
    sum.seconds = time;
    for (std::size_t n = 0; n < all.size(); ++n) {
      for (; next[n] < all[n].size() && all[n][next[n]]->seconds <= time; ++next[n])
        add_shares(sum, *all[n][next[n]]);
      if (next[n] > 0) add_totals(sum, all[n], next[n], time);
    }
    sum.climbing = sum.cases > 0 ? sum.climbing / static_cast<double>(sum.cases) : 0;
    samples.push_back({phase, std::move(sum)});
  }
}

}  // namespace

std::vector<Phase> united_phases(const Nights& nights) {
  std::vector<Phase> all;
  std::set<std::string> names;
  for (const auto& [id, night] : nights)
    for (const Phase& p : night.phases)
      if (names.insert(p.name).second) all.push_back(united_phase(p.name, nights));
  return all;
}

std::vector<Sample> united_samples(const Nights& nights, const std::vector<Phase>& phases) {
  std::vector<Sample> samples;
  for (const Phase& p : phases) {
    const auto all = lines_of(nights, p.name);
    if (!all.empty()) add_phase(samples, p.name, all);
  }
  // Phases take turns.
  std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
    return a.line.seconds < b.line.seconds;
  });
  return samples;
}

}  // namespace ulpfuzz::nightly
