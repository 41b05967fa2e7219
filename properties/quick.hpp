#pragma once

#include <cstddef>
#include <cstdint>

#include "ulpfuzz/bounds/analysis.hpp"

namespace ulpfuzz::properties {

/// A run of elements of two paths, with the bounds of one analysis that serves both.
struct QuickRow {
  const float* a;
  const float* b;
  const double* reference;
  const double* sound;
  const double* sigma;
  const double* local;
  const bounds::Judgement* judgement;
  std::size_t size;

  QuickRow part(std::size_t at, std::size_t n) const;
};
QuickRow quick_row(const float* a, const float* b, const bounds::OutputBounds& bounds,
                   std::size_t at, std::size_t size);

/// If it passes, all pass as judge_paths (and judge_reference of each path) would let them, and no
/// share is above those given.
using QuickResult = bounds::RunCounts;

struct QuickLimits {
  double lambda;
  double share_sound;     ///< largest so far, against B1
  double share_tightest;  ///< largest so far, against min(B1, B2)
  bounds::Comparison comparison = bounds::Comparison::paths;
  /// Larger differences are to be looked at with tighter bounds (Ruling::refine).
  bool refines = false;
};

/// The pass path in one sweep without branches. What it does not pass is judged one by one.
QuickResult judge_quickly(const QuickRow& row, const QuickLimits& limits);

}  // namespace ulpfuzz::properties
