#pragma once

#include "ulpfuzz/generators/mutate.hpp"

namespace ulpfuzz::generators {

// The families, as mutations() lists them. Each gives a case whose parts agree; mutated() sees to
// the limits.
Case moved_by_ulps(const Case& c, Source& source, const Limits& limits);
Case redrawn_low_bits(const Case& c, Source& source, const Limits& limits);
Case specials(const Case& c, Source& source, const Limits& limits);
Case rounded(const Case& c, Source& source, const Limits& limits);
Case flipped_signs(const Case& c, Source& source, const Limits& limits);
Case scaled(const Case& c, Source& source, const Limits& limits);
Case copied_numbers(const Case& c, Source& source, const Limits& limits);
Case cancelling_terms(const Case& c, Source& source, const Limits& limits);
Case moved_scale(const Case& c, Source& source, const Limits& limits);
Case changed_rows(const Case& c, Source& source, const Limits& limits);
Case changed_split(const Case& c, Source& source, const Limits& limits);
Case changed_layout(const Case& c, Source& source, const Limits& limits);
Case resized_dimension(const Case& c, Source& source, const Limits& limits);
Case inserted_ops(const Case& c, Source& source, const Limits& limits);
Case deleted_op(const Case& c, Source& source, const Limits& limits);
Case replaced_op(const Case& c, Source& source, const Limits& limits);
Case repeated_ops(const Case& c, Source& source, const Limits& limits);
Case redrawn_tensor(const Case& c, Source& source, const Limits& limits);
Case redrawn_split(const Case& c, Source& source, const Limits& limits);
Case redrawn_topology(const Case& c, Source& source, const Limits& limits);
Case simplified(const Case& c, Source& source, const Limits& limits);

/// Puts what the node `last` of `b` computes from its node `first` after the node `at` of `a`; in
/// between, linear maps fit the widths. `a` where that cannot be.
Case grafted(const Case& a, NodeId at, const Case& b, NodeId first, NodeId last, Source& source,
             const Limits& limits);

/// Whether it has cotangents if and only if these limits ask for them.
bool has_its_cotangents(const Case& c, const Limits& limits);
/// Gives a changed case what each has: cotangents as the limits ask for, a slice at least.
void complete(Case& c, const Limits& limits, Source& source);
/// Multiply-adds of the products of one batch row.
std::uint64_t products(const Network& network);
/// Of one batch row of the inputs, and of the parameters.
std::uint64_t elements(const Network& network);
/// Nodes with one value a batch row; with `ops` only those that compute something.
std::vector<NodeId> batch_nodes(const Network& network, bool ops);

}  // namespace ulpfuzz::generators
