#include "ulpfuzz/shrink/dissect.hpp"

namespace ulpfuzz {

Dissection dissect(const Shrunk&, const std::optional<Neighbour>& neighbour, const Judge&,
                   const DissectOptions&) {
  Dissection d;
  d.neighbour = neighbour;
  return d;
}

std::string to_text(const Dissection&) { return {}; }

}  // namespace ulpfuzz
