#pragma once

#include <string>
#include <vector>

#include "claims.hpp"
#include "ulpfuzz/probe/probe.hpp"

namespace ulpfuzz::probe {

/// What was found at one sum.
struct Measured {
  std::string where;
  bool product = false;
  SumArithmetic arithmetic;
  Breaches breaches;
  std::string untold;  ///< why nothing could be told; empty if it was
};

/// Outer products (inner dimension 1), the weight gradients of a row: some evaluators spare them
/// the matmul unit, or some shapes of them. `all`: the sums whose arithmetic they may share.
void probe_outer_products(const Subject& subject, const Options& options,
                          const std::vector<Measured>& all, Report& report);

}  // namespace ulpfuzz::probe
