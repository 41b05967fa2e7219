#include "edits.hpp"

namespace ulpfuzz::generators {

std::vector<Edit> simpler(const Case& c, const Focus& focus) {
  Edits edits;
  if (!c.network.outputs().empty()) {
    simpler_network(c, focus, edits);
    simpler_rows(c, focus, edits);
    simpler_split(c, focus, edits);
    simpler_widths(c, focus, edits);
  }
  simpler_values(c, edits);
  return edits;
}

}  // namespace ulpfuzz::generators
