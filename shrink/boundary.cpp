#include "ulpfuzz/shrink/boundary.hpp"

#include "boundary_parts.hpp"

namespace ulpfuzz {

std::vector<Boundary> boundaries(const Shrunk& failing, const Judge& judge, const Subject& subject,
                                 const BoundaryOptions& options) {
  std::vector<Boundary> found, alignment;
  if (!failing.verdict.failed()) return found;
  shrinking::Asker asker(failing, judge, options);
  // Asked first, because it costs little; told after what says more.
  shrinking::alignment_boundaries(asker, alignment);
  shrinking::size_boundaries(asker, found);
  shrinking::row_boundaries(asker, subject, found);
  found.insert(found.end(), alignment.begin(), alignment.end());
  shrinking::value_boundaries(asker, found);
  return found;
}

}  // namespace ulpfuzz
