#include "ulpfuzz/shrink/boundary.hpp"

#include "boundary_parts.hpp"

namespace ulpfuzz {

std::vector<Boundary> boundaries(const Shrunk& failing, const Judge& judge, const Subject& subject,
                                 const BoundaryOptions& options) {
  std::vector<Boundary> found;
  if (!failing.verdict.failed()) return found;
  shrinking::Asker asker(failing, judge, options.evaluations, options.seconds, options.cancelled);
  shrinking::alignment_boundaries(asker, found);
  const std::vector<Boundary> alignment = std::move(found);
  found.clear();
  shrinking::size_boundaries(asker, found);
  shrinking::row_boundaries(asker, subject, found);
  found.insert(found.end(), alignment.begin(), alignment.end());
  shrinking::value_boundaries(asker, found);
  return found;
}

}  // namespace ulpfuzz
