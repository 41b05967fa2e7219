#pragma once

#include <span>
#include <string_view>

#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {

/// A family of random changes of a case.
struct Mutation {
  std::string_view name;  ///< "perturb numbers", "resize a dimension", "draw the split anew"
  std::string_view what;  ///< in a sentence
  unsigned weight;        ///< how often it is tried, against the others
  /// A valid case within the limits, or the case itself where it has nothing to change.
  Case (*apply)(const Case&, Source&, const Limits&);
};

/// Structure, sizes, split, layout, numbers; among them parts drawn anew by the generators of
/// draw_case(), so that one definition serves random cases and search.
std::span<const Mutation> mutations();

/// One to a few of mutations(), drawn by weight. Always valid and within the limits, whatever the
/// source; a function of its arguments alone. A case beyond the limits is made smaller first.
Case mutated(const Case& c, Source& source, const Limits& limits);

/// Ops, tensors, split or layout of `b` in `a`; `a` mutated where nothing fits.
Case crossed(const Case& a, const Case& b, Source& source, const Limits& limits);

/// The case brought within the limits: fewer rows, narrower, fewer ops; with cotangents if and only
/// if the limits ask for gradients. Drawn anew where that does not suffice.
Case fitted(const Case& c, Source& source, const Limits& limits);

/// One of the inputs, parameters and cotangents that hold numbers; null where none does.
Tensor* any_tensor(Case& c, Source& source);

/// Whether draw_case() might have drawn a case of these sizes: depth, widths, batch, work,
/// Jacobian.
bool within(const Case& c, const Limits& limits);

}  // namespace ulpfuzz::generators
