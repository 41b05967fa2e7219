#pragma once

#include "deferred.hpp"
#include "keep.hpp"
#include "ulpfuzz/bounds/analysis.hpp"

namespace ulpfuzz::bounds {

/// A network output as it is handed out: the arrays of its node, or copies of them where the
/// arithmetic stores outputs in a narrower format than it computes in.
struct Result {
  NodeId node = 0;
  bool copied = false;
  Deferred outer;  ///< if taken, the node's elements are not there yet
  std::vector<double> reference, error, local, sigma;
  std::vector<Judgement> judgement;

  void finish(const Value& v, const Narrowing& store);
  OutputBounds bounds(const Value& v) const;

 private:
  void narrow(const Value& v, const Narrowing& to);
};

}  // namespace ulpfuzz::bounds
