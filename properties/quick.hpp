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
};
QuickRow quick_row(const float* a, const float* b, const bounds::OutputBounds& bounds,
                   std::size_t at, std::size_t size);

struct QuickResult {
  /// All pass as judge_paths (and judge_reference of each path) would let them without refining,
  /// and no share is above those given.
  bool passes = false;
  std::uint64_t equal = 0, exact = 0, sound = 0, probable = 0, none = 0;  ///< valid if it passes
};

struct QuickLimits {
  double lambda;
  double share_sound;     ///< largest so far, against B1
  double share_tightest;  ///< largest so far, against min(B1, B2)
  bool both_round;        ///< B1 is the sum of both paths' bounds; else path a's alone
  bool with_reference;    ///< each path against the reference too
};

/// The pass path in one sweep without branches. What it does not pass is judged one by one.
QuickResult judge_quickly(const QuickRow& row, const QuickLimits& limits);

}  // namespace ulpfuzz::properties
