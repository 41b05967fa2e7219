#pragma once

#include <cstdint>
#include <string>

namespace ulpfuzz {

/// The part of the floating-point environment that changes results: rounding mode, flush-to-zero
/// (FTZ, results) and denormals-are-zero (DAZ, operands) of the calling thread.
struct FpEnvironment {
  int rounding = 0;  ///< FE_TONEAREST, ...
  bool ftz = false;
  bool daz = false;

  static FpEnvironment current();
  void apply() const;
  /// "round to nearest, FTZ off, DAZ off"
  std::string describe() const;

  bool operator==(const FpEnvironment&) const = default;
};

/// Saves the environment, sets the default one (to nearest, gradual underflow), and restores the
/// saved one when it dies. `left_behind()` is what the guarded code made of it.
class FpGuard {
 public:
  FpGuard();
  ~FpGuard();
  FpGuard(const FpGuard&) = delete;
  FpGuard& operator=(const FpGuard&) = delete;

  /// The environment as it is now; differs from FpEnvironment{} where the guarded code changed it.
  FpEnvironment left_behind() const;

 private:
  FpEnvironment saved_;
};

}  // namespace ulpfuzz
