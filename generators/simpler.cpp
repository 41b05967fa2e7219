#include <algorithm>
#include <array>
#include <iterator>

#include "edits.hpp"

namespace ulpfuzz::generators {
namespace {

bool has_output(const Case& c) { return !c.network.outputs().empty(); }

template <void (*family)(const Case&, const Focus&, Edits&)>
Edits structural(const Case& c, const Focus& focus) {
  Edits edits;
  if (has_output(c)) family(c, focus, edits);
  return edits;
}

Edits values(const Case& c, const Focus&) {
  Edits edits;
  simpler_values(c, edits);
  return edits;
}

constexpr std::array all{
    Pass{"network", "ops and biases dropped", structural<simpler_network>},
    Pass{"rows", "batch rows dropped", structural<simpler_rows>},
    Pass{"split", "slices dropped, merged, shortened", structural<simpler_split>},
    Pass{"widths", "features dropped", structural<simpler_widths>},
    Pass{"values", "numbers made simple", values},
};

}  // namespace

std::span<const Pass> passes() { return all; }

std::vector<Edit> simpler(const Case& c, const Focus& focus) {
  Edits edits;
  for (const Pass& pass : all) std::ranges::move(pass.edits(c, focus), std::back_inserter(edits));
  return edits;
}

}  // namespace ulpfuzz::generators
