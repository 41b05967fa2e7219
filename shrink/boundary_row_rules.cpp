#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "boundary_rows.hpp"
#include "boundary_words.hpp"

namespace ulpfuzz::shrinking {
namespace {

using Faults = std::vector<RowFault>;

/// Row b of a batch of n gets what this row should get.
using Map = std::function<std::uint32_t(std::uint32_t b, std::uint32_t n)>;

/// Every wrong row whose result is somebody's has it from there; at least one.
bool holds(const Faults& seen, const Map& map) {
  std::size_t told = 0;
  for (const RowFault& f : seen) {
    for (std::uint32_t b = 0; b < f.batch(); ++b) {
      if (!f.wrong[b] || f.instead[b] == RowFault::unknown) continue;
      if (f.instead[b] != map(b, f.batch())) return false;
      ++told;
    }
  }
  return told > 0;
}

/// Right rows are those that the map leaves alone.
bool tells_all(const Faults& seen, const Map& map) {
  for (const RowFault& f : seen) {
    for (std::uint32_t b = 0; b < f.batch(); ++b) {
      if (f.wrong[b] != (map(b, f.batch()) != b)) return false;
    }
  }
  return true;
}

bool wrong_where(const Faults& seen, const Map& is_wrong) {
  return std::ranges::all_of(seen, [&](const RowFault& f) {
    for (std::uint32_t b = 0; b < f.batch(); ++b) {
      if (f.wrong[b] != (is_wrong(b, f.batch()) != 0)) return false;
    }
    return true;
  });
}

std::uint32_t first_wrong(const RowFault& f) {
  return static_cast<std::uint32_t>(std::ranges::find(f.wrong, true) - f.wrong.begin());
}

struct Rule {
  std::string whose;
  Map map;
};

std::vector<Rule> rules(const Faults& seen) {
  const RowFault& f = seen.front();
  std::uint32_t b = 0;
  while (b + 1 < f.batch() && (!f.wrong[b] || f.instead[b] == RowFault::unknown)) ++b;
  const std::uint32_t from = f.instead[b];
  std::vector<Rule> result;
  const auto add = [&](std::string whose, Map map) {
    result.push_back({std::move(whose), std::move(map)});
  };
  const auto shift = [&](std::uint32_t k) {
    add(fmt::format("row b - {}", k), [k](std::uint32_t r, std::uint32_t) { return r - k; });
    add(fmt::format("row b + {}", k), [k](std::uint32_t r, std::uint32_t) { return r + k; });
  };
  shift(1);
  add("row 0", [](std::uint32_t, std::uint32_t) { return 0u; });
  add("the last row", [](std::uint32_t, std::uint32_t n) { return n - 1; });
  for (std::uint32_t m = 2; m < f.batch(); ++m) {
    if (b % m == from)
      add(fmt::format("row b mod {}", m), [m](std::uint32_t r, std::uint32_t) { return r % m; });
  }
  shift(from > b ? from - b : b - from);
  for (std::uint32_t m = 2; m < f.batch(); m *= 2)
    add(fmt::format("row {0} (b div {0})", m),
        [m](std::uint32_t r, std::uint32_t) { return r / m * m; });
  add(fmt::format("row b xor {}", b ^ from),
      [k = b ^ from](std::uint32_t r, std::uint32_t) { return r ^ k; });
  add("row n - 1 - b of n", [](std::uint32_t r, std::uint32_t n) { return n - 1 - r; });
  add(fmt::format("row {}", from), [from](std::uint32_t, std::uint32_t) { return from; });
  return result;
}

/// The m for which of each pair of rows with each other's results the front one is the other mod m.
std::optional<std::uint32_t> swapped_modulo(const Faults& seen) {
  std::uint32_t largest = 0;
  for (const RowFault& f : seen) {
    for (std::uint32_t b = 0; b < f.batch(); ++b) {
      if (!f.wrong[b]) continue;
      const std::uint32_t other = f.instead[b];
      if (other >= f.batch() || f.instead[other] != b) return std::nullopt;
      largest = std::max(largest, f.batch());
    }
  }
  for (std::uint32_t m = 2; m < largest; ++m) {
    const bool fits = std::ranges::all_of(seen, [m](const RowFault& f) {
      for (std::uint32_t b = 0; b < f.batch(); ++b) {
        if (!f.wrong[b]) continue;
        const auto [front, rear] = std::minmax(b, f.instead[b]);
        if (rear % m != front) return false;
      }
      return true;
    });
    if (fits) return m;
  }
  return std::nullopt;
}

}  // namespace

std::string wrong_rows(const Faults& seen) {
  const auto is = [&](const Map& map) { return wrong_where(seen, map); };
  if (is([](std::uint32_t, std::uint32_t) { return 1u; })) return "every row";
  if (is([](std::uint32_t b, std::uint32_t n) { return b + 1 == n ? 1u : 0u; }))
    return "the last row";
  const std::uint32_t t = first_wrong(seen.front());
  if (is([t](std::uint32_t b, std::uint32_t) { return b >= t ? 1u : 0u; }))
    return fmt::format("rows from {} on", t);
  if (is([t](std::uint32_t b, std::uint32_t n) { return b >= t && b + 1 < n ? 1u : 0u; }))
    return fmt::format("rows from {} on but the last", t);
  for (std::uint32_t k = 2; k < seen.front().batch(); ++k) {
    if (is([k](std::uint32_t b, std::uint32_t n) { return b + k >= n ? 1u : 0u; }))
      return fmt::format("the last {} rows", k);
    if (is([k](std::uint32_t b, std::uint32_t) { return b < k ? 1u : 0u; }))
      return fmt::format("the first {} rows", k);
    if (is([k, t](std::uint32_t b, std::uint32_t) { return b % k == t % k ? 1u : 0u; }))
      return fmt::format("rows b where b mod {} is {}", k, t % k);
    if (k >= 64) break;
  }
  const std::vector<bool>& wrong = seen.front().wrong;
  return fmt::format("row{} {} of {}", std::ranges::count(wrong, true) == 1 ? "" : "s", runs(wrong),
                     wrong.size());
}

std::optional<std::string> row_rule(const Faults& seen) {
  const std::vector<Rule> all = rules(seen);
  for (const bool whole : {true, false}) {
    for (const Rule& rule : all) {
      if (!holds(seen, rule.map) || (whole && !tells_all(seen, rule.map))) continue;
      std::string text = "row b gets the result of " + rule.whose;
      return whole ? text : text + ": " + wrong_rows(seen);
    }
    if (const auto m = swapped_modulo(seen); m && !whole)
      return fmt::format("rows b and b mod {} get each other's results: {}", *m, wrong_rows(seen));
  }
  return std::nullopt;
}

}  // namespace ulpfuzz::shrinking
