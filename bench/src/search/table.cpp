#include "search/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ulpfuzz::bench {
namespace {

constexpr double clear_factor = 2, clear_octaves = 1;

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  const std::size_t n = all.size();
  return n % 2 == 1 ? all[n / 2] : (all[n / 2 - 1] + all[n / 2]) / 2;
}

template <class Number>
std::vector<double> each(const Row& row, const Number& number) {
  std::vector<double> all;
  for (const Found& f : row.found) all.push_back(static_cast<double>(number(f)));
  return all;
}

double until_failure(const Row& row) {
  return median(each(row, [](const Found& f) { return f.failure.value_or(f.evaluations); }));
}

double share(const Row& row) {
  return median(each(row, [](const Found& f) { return f.probabilistic; }));
}

std::size_t failures(const Row& row) {
  return static_cast<std::size_t>(
      std::count_if(row.found.begin(), row.found.end(), [](const Found& f) { return f.failure; }));
}

/// Evaluations until the first failure of each seed; "-" for none.
std::string list_of(const Table& table, const Row& row) {
  std::string text;
  for (const Found& f : row.found)
    text += !table.faulty ? fmt::format(" {:7.3f}", f.probabilistic)
            : f.failure   ? fmt::format(" {:7}", *f.failure)
                          : fmt::format(" {:>7}", "-");
  return text;
}

}  // namespace

double gain(const Table& table, const Row& row) {
  const Row& random = table.rows.front();
  if (table.faulty) return until_failure(random) / until_failure(row);
  return std::log2(share(row) / share(random));
}

bool is_clear(const Table& table, const Row& row) {
  return gain(table, row) >= (table.faulty ? clear_factor : clear_octaves);
}

void print(const Table& t) {
  fmt::print("\n{} on {}, {} evaluations a seed: {}\n", t.property->name, t.subject->name(),
             t.evaluations,
             t.faulty ? "evaluations until it fails"
                      : "largest share of a probabilistic bound, of what passes");
  fmt::print("{:28}{:>10}{:>10}{:>10}{:>10}  {}\n", "", t.faulty ? "failed" : "share",
             t.faulty ? "median" : "median", t.faulty ? "sooner" : "octaves", "a second",
             "each seed");
  for (const Row& row : t.rows) {
    if (row.found.empty()) {
      fmt::print("{:28}{}\n", name(row.way), row.why_not);
      continue;
    }
    const double seconds = median(each(row, [](const Found& f) { return f.seconds; }));
    const double speed =
        median(each(row, [](const Found& f) { return f.evaluations; })) / std::max(seconds, 1e-9);
    const std::vector<double> shares = each(row, [](const Found& f) { return f.share; });
    const double largest = *std::max_element(shares.begin(), shares.end());
    fmt::print(
        "{:28}{:>10}{:>10}{:>10}{:>10.0f} {}\n", name(row.way),
        t.faulty ? fmt::format("{} of {}", failures(row), row.found.size())
                 : fmt::format("{:.7f}", largest),
        t.faulty ? fmt::format("{:.0f}", until_failure(row)) : fmt::format("{:.3f}", share(row)),
        t.faulty ? fmt::format("{:.1f}x", gain(t, row)) : fmt::format("{:+.2f}", gain(t, row)),
        speed, list_of(t, row));
  }
}

nlohmann::json to_json(const Table& t) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Row& row : t.rows) {
    nlohmann::json j = {{"way", name(row.way)}};
    if (row.found.empty()) j["why_not"] = row.why_not;
    for (const Found& f : row.found)
      j["seeds"].push_back({{"evaluations", f.evaluations},
                            {"seconds", f.seconds},
                            {"share", std::min(f.share, 1e300)},
                            {"share_probabilistic", f.probabilistic},
                            {"failure", f.failure ? nlohmann::json(*f.failure) : nlohmann::json()},
                            {"failure_seconds", f.failure_seconds}});
    if (!row.found.empty()) j["gain"] = gain(t, row);
    rows.push_back(std::move(j));
  }
  return {{"property", t.property->name},
          {"subject", t.subject->name()},
          {"faulty", t.faulty},
          {"evaluations", t.evaluations},
          {"rows", rows}};
}

}  // namespace ulpfuzz::bench
