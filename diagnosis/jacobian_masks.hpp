#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "jacobian.hpp"

/// Which mask each side of a row's Jacobian was computed with, where rounding decides it.
namespace ulpfuzz::diagnosis {

/// Values of one row of the Jacobian: both results, or the difference alone.
struct RowValues {
  std::span<const float> a, b;
  std::span<const double> difference;
};

struct SettledRow {
  enum class How {
    decided,     ///< no unit is undecided
    enumerated,  ///< some pattern of masks fits each side
    widened,     ///< too many undecided units, or no pattern fits: radii span both slopes
  };
  How how = How::decided;
  bool probable = false;  ///< rounding bounds left too many undecided: deviations decided
  RowKinks kinks;
  Slopes slopes_a, slopes_b;  ///< empty where widened
  RowBounds a, b;
  std::vector<Unit> differing;  ///< units whose slopes differ between the sides
};

/// Undecided units up to which all patterns are tried; above, units are flipped one by one while
/// fewer elements are left beyond their bounds.
inline constexpr std::size_t most_enumerated = 6;
inline constexpr std::size_t most_flipped = 64;

class MaskSettler {
 public:
  MaskSettler(KinkJudge& kinks, RowJudge& judge, double lambda)
      : kinks_(kinks), judge_(judge), lambda_(lambda) {}

  /// Lambda > 0 decides units by deviations where rounding bounds leave too many.
  SettledRow settle(std::span<const float* const> inputs, const RowValues& values);

 private:
  std::vector<Slopes> patterns(const RowKinks& row) const;
  bool enumerate(std::span<const float* const> inputs, const RowValues& values, SettledRow& row);
  bool enumerate_pairs(std::span<const float* const> inputs, const RowValues& values,
                       SettledRow& row);
  bool flip(std::span<const float* const> inputs, std::span<const float> values,
            const RowKinks& kinks, Slopes& slopes, RowBounds& bounds);

  KinkJudge& kinks_;
  RowJudge& judge_;
  double lambda_;
};

/// Elements of a side that are beyond its bound.
std::size_t beyond(std::span<const float> values, const RowBounds& bounds);

}  // namespace ulpfuzz::diagnosis
