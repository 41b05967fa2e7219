#include "shrink/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

namespace ulpfuzz::bench {
namespace {

constexpr double most_evaluations = 600;
constexpr double most_seconds = 1;

template <class Member>
std::vector<double> all_of(const std::vector<Trial>& trials, Member member) {
  std::vector<double> values;
  for (const Trial& t : trials) values.push_back(static_cast<double>(t.*member));
  return values;
}

double mean(const std::vector<double>& v) {
  double total = 0;
  for (const double x : v) total += x;
  return v.empty() ? 0 : total / static_cast<double>(v.size());
}

double median(std::vector<double> v) {
  if (v.empty()) return 0;
  std::ranges::sort(v);
  const std::size_t half = v.size() / 2;
  return v.size() % 2 == 1 ? v[half] : (v[half - 1] + v[half]) / 2;
}

/// Half the width of the 95 % interval of the mean, by the normal approximation.
double interval(const std::vector<double>& v) {
  if (v.size() < 2) return 0;
  const double m = mean(v);
  double squares = 0;
  for (const double x : v) squares += (x - m) * (x - m);
  const auto n = static_cast<double>(v.size());
  return 1.96 * std::sqrt(squares / (n - 1) / n);
}

double largest(const std::vector<double>& v) {
  return v.empty() ? 0 : *std::ranges::max_element(v);
}

struct Summary {
  explicit Summary(const std::vector<Trial>& trials)
      : evaluations(all_of(trials, &Trial::evaluations)),
        seconds(all_of(trials, &Trial::seconds)),
        gaps(all_of(trials, &Trial::gap)),
        bytes(median(all_of(trials, &Trial::bytes))),
        reproduced(mean(all_of(trials, &Trial::reproduced))) {
    std::set<std::string> distinct;
    std::size_t margins = 0, severe = 0;
    for (const Trial& t : trials) {
      distinct.insert(t.hash);
      slips += t.slipped;
      capped += t.capped;
      below += t.below;
      margins += t.share >= std::clamp(t.start_share / 2, 1.0, 2.0) ? 1 : 0;
      severe += t.severe_share >= t.start_share / 2 ? 1 : 0;
    }
    if (trials.empty()) return;
    margin_kept = static_cast<double>(margins) / static_cast<double>(trials.size());
    severe_kept = static_cast<double>(severe) / static_cast<double>(trials.size());
    if (trials.size() > 1)
      normalised =
          1 - static_cast<double>(distinct.size() - 1) / static_cast<double>(trials.size() - 1);
  }

  std::vector<double> evaluations, seconds, gaps;
  double bytes, reproduced, margin_kept = 0, severe_kept = 0, normalised = 1;
  std::size_t slips = 0, capped = 0, below = 0;
};

nlohmann::json figures(const std::vector<Trial>& trials, std::size_t components,
                       const std::vector<std::uint64_t>& optimum) {
  const Summary s(trials);
  nlohmann::json gaps = nlohmann::json::object();
  for (std::size_t i = 0; i < components; ++i) {
    std::vector<double> above;
    for (const Trial& t : trials)
      above.push_back(static_cast<double>(t.complexity[i]) - static_cast<double>(optimum[i]));
    gaps[std::string(generators::complexity_names()[i])] = mean(above);
  }
  return {{"starts", trials.size()},
          {"evaluations_mean", mean(s.evaluations)},
          {"evaluations_interval", interval(s.evaluations)},
          {"evaluations_median", median(s.evaluations)},
          {"seconds_median", median(s.seconds)},
          {"gap_max", largest(s.gaps)},
          {"gap_median", median(s.gaps)},
          {"gap_mean_of_components", gaps},
          {"below_optimum", s.below},
          {"normalisation", s.normalised},
          {"slips", s.slips},
          {"refused_slips_mean", mean(all_of(trials, &Trial::harvested))},
          {"reproduced", s.reproduced},
          {"start_share_median", median(all_of(trials, &Trial::start_share))},
          {"share_median", median(all_of(trials, &Trial::share))},
          {"margin_kept", s.margin_kept},
          {"severe_kept", s.severe_kept},
          {"bytes_median", s.bytes},
          {"capped", s.capped}};
}

}  // namespace

void print_header(bool peer) {
  fmt::print("{:<24}{:>7}{:>15}{:>8}{:>9}{:>9}{:>7}{:>7}{:>8}{:>8}{:>7}", "fault", "starts",
             "evaluations", "median", "seconds", "gap med", "max", "slips", "repro", "normal",
             "bytes");
  if (peer)
    fmt::print("  |{:>12}{:>9}{:>9}{:>7}{:>7}", "rapidcheck", "seconds", "gap", "slips", "capped");
  fmt::print("\n");
}

void print_row(const Report& r, bool peer) {
  const Summary s(r.trials);
  fmt::print(
      "{:<24}{:>7}{:>9.0f} ±{:>4.0f}{:>8.0f}{:>9.3f}{:>9.1f}{:>7.0f}{:>7}{:>8.2f}{:>8.2f}{:>7.0f}",
      r.name, r.trials.size(), mean(s.evaluations), interval(s.evaluations), median(s.evaluations),
      median(s.seconds), median(s.gaps), largest(s.gaps), s.slips, s.reproduced, s.normalised,
      s.bytes);
  if (peer) {
    const Summary p(r.peer);
    fmt::print("  |{:>12.0f}{:>9.2f}{:>9.1f}{:>7}{:>7}", median(p.evaluations), median(p.seconds),
               median(p.gaps), p.slips, p.capped);
  }
  if (s.below > 0) fmt::print("  {} simpler than the optimum!", s.below);
  if (s.capped > 0) fmt::print("  {} stopped early", s.capped);
  fmt::print("\n");
  std::fflush(stdout);
}

void print_components(const std::vector<Report>& reports) {
  const std::size_t components = structural_components();
  fmt::print("\nabove the optimum, mean:\n{:<24}", "fault");
  for (std::size_t i = 0; i < components; ++i)
    fmt::print("{:>{}}", generators::complexity_names()[i],
               generators::complexity_names()[i].size() + 2);
  fmt::print("\n");
  for (const Report& r : reports) {
    fmt::print("{:<24}", r.name);
    const nlohmann::json f = figures(r.trials, components, r.optimum);
    for (std::size_t i = 0; i < components; ++i) {
      const std::string name(generators::complexity_names()[i]);
      fmt::print("{:>{}.2f}", f["gap_mean_of_components"][name].get<double>(), name.size() + 2);
    }
    fmt::print("\n");
  }
}

nlohmann::json to_json(const Report& r) {
  nlohmann::json j = figures(r.trials, r.optimum.size(), r.optimum);
  std::map<std::string, std::size_t> causes;
  for (const Trial& t : r.trials) ++causes[t.cause];
  j["causes"] = causes;
  j["name"] = r.name;
  j["optimum"] = r.optimum;
  if (!r.peer.empty()) j["rapidcheck"] = figures(r.peer, r.optimum.size(), r.optimum);
  return j;
}

std::vector<std::string> missed_goals(const std::vector<Report>& reports) {
  std::vector<std::string> missed;
  std::size_t above = 0;
  for (const Report& r : reports) {
    const Summary s(r.trials);
    const auto miss = [&](const std::string& what) { missed.push_back(r.name + ": " + what); };
    if (!r.error.empty()) miss(r.error);
    if (r.trials.empty()) miss("no start was found");
    if (median(s.gaps) > 0) ++above;
    if (median(s.gaps) > 1) miss(fmt::format("median gap {:.1f}", median(s.gaps)));
    if (s.below > 0) miss(fmt::format("{} results simpler than the optimum", s.below));
    if (s.slips > 0) miss(fmt::format("{} slips", s.slips));
    if (s.reproduced < 1) miss(fmt::format("{:.3f} reproduced", s.reproduced));
    if (median(s.evaluations) > most_evaluations)
      miss(fmt::format("median of {:.0f} evaluations", median(s.evaluations)));
    if (median(s.seconds) > most_seconds)
      miss(fmt::format("median of {:.2f} s", median(s.seconds)));
  }
  if (8 * above > reports.size())
    missed.push_back(
        fmt::format("{} of {} faults with a median gap above 0", above, reports.size()));
  return missed;
}

}  // namespace ulpfuzz::bench
