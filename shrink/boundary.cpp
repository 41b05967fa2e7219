#include "ulpfuzz/shrink/boundary.hpp"

namespace ulpfuzz {

std::vector<Boundary> boundaries(const Shrunk&, const Judge&, const Subject&,
                                 const BoundaryOptions&) {
  return {};
}

}  // namespace ulpfuzz
