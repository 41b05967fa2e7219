#include "ulpfuzz/shrink/dissect.hpp"

#include <algorithm>

#include "dissect_parts.hpp"

namespace ulpfuzz {

Dissection dissect(const Shrunk& failing, const std::optional<Neighbour>& neighbour,
                   const Judge& judge, const DissectOptions& options) {
  Dissection d;
  if (!failing.verdict.failed()) return d;
  shrinking::Asker asker(
      failing, judge,
      {options.evaluations, options.seconds, options.cancelled, options.confirmation});
  d.layers = shrinking::layer_shares(asker);
  d.first_op = failing.verdict.first_op;
  d.neighbour = shrinking::nearest_neighbour(asker, neighbour);
  if (d.neighbour) d.other_sizes = shrinking::other_sizes(failing.value, d.neighbour->value);
  d.components = shrinking::components(asker);
  return d;
}

}  // namespace ulpfuzz
