#include "soundness/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ulpfuzz::bench {

void print(const Tally& t, double seconds) {
  const Count all = t.total();
  for (const char* dimension :
       {"op", "width", "depth", "arithmetic", "order", "formula", "data", "mode", "tier"}) {
    const auto counts = t.by.find(dimension);
    if (counts == t.by.end()) continue;
    fmt::print("{:<24}{:>12}{:>11}{:>10}{:>11}{:>10}{:>9}{:>14}\n", dimension, "elements", "exact",
               "unjudged", "violations", "worst", "decided", "probabilistic");
    for (const auto& [key, c] : counts->second)
      fmt::print("  {:<22}{:>12}{:>11}{:>10}{:>11}{:>10.4f}{:>9.4f}{:>14.3f}\n", key, c.elements,
                 c.exact, c.unjudged, c.violations, c.worst, c.worst_decided, c.worst_probable);
  }
  std::uint64_t cells = 0, least = ~std::uint64_t{0};
  if (const auto counts = t.by.find("op_width_order"); counts != t.by.end()) {
    cells = counts->second.size();
    for (const auto& [key, c] : counts->second) least = std::min(least, c.elements + c.unjudged);
  }
  fmt::print("cells of op, width and order: {}, of {} elements at least\n", cells,
             cells ? least : 0);
  fmt::print("reference held against long double: {} elements, worst {:.3g} of what bounds allow\n",
             t.reference_elements, t.reference_share);
  fmt::print(
      "{} cases, {} elements, {} violations, worst share {:.4f} ({:.4f} where kinks are "
      "decided), {:.0f} s\n",
      t.cases, all.elements, all.violations, all.worst, all.worst_decided, seconds);
}

}  // namespace ulpfuzz::bench
