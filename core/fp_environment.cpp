#include "ulpfuzz/core/fp_environment.hpp"

#include <fmt/format.h>
#include <immintrin.h>

#include <cfenv>
#include <string_view>

namespace ulpfuzz {
namespace {

// MXCSR, the control register of vector arithmetic, decides the results of float and double.
constexpr unsigned ftz_bit = 0x8000;
constexpr unsigned daz_bit = 0x0040;
constexpr int rounding_shift = 3;  // MXCSR's field to FE_*: the x87 control word's position

struct Control {
  unsigned bits = _mm_getcsr();
  bool ftz() const { return bits & ftz_bit; }
  bool daz() const { return bits & daz_bit; }
  // The two units are set apart: who sets MXCSR alone changes float and leaves fegetround behind.
  int rounding() const {
    const int vector_unit = static_cast<int>((bits & _MM_ROUND_MASK) >> rounding_shift);
    return vector_unit != FE_TONEAREST ? vector_unit : std::fegetround();
  }
  static void set_flush(bool ftz, bool daz) {
    const unsigned rest = _mm_getcsr() & ~(ftz_bit | daz_bit);
    _mm_setcsr(rest | (ftz ? ftz_bit : 0) | (daz ? daz_bit : 0));
  }
};
static_assert((_MM_ROUND_DOWN >> rounding_shift) == FE_DOWNWARD);
static_assert((_MM_ROUND_TOWARD_ZERO >> rounding_shift) == FE_TOWARDZERO);

std::string_view rounding_name(int rounding) {
  switch (rounding) {
    case FE_TONEAREST:
      return "round to nearest";
    case FE_DOWNWARD:
      return "round down";
    case FE_UPWARD:
      return "round up";
    case FE_TOWARDZERO:
      return "round toward zero";
    default:
      return "unknown rounding";
  }
}

}  // namespace

FpEnvironment FpEnvironment::current() {
  const Control control;
  return {.rounding = control.rounding(), .ftz = control.ftz(), .daz = control.daz()};
}

void FpEnvironment::apply() const {
  std::fesetround(rounding);
  Control::set_flush(ftz, daz);
}

std::string FpEnvironment::describe() const {
  return fmt::format("{}, FTZ {}, DAZ {}", rounding_name(rounding), ftz ? "on" : "off",
                     daz ? "on" : "off");
}

// Writing the control registers costs more than reading them, and most calls change nothing.
FpGuard::FpGuard() : saved_(FpEnvironment::current()) {
  if (saved_ != FpEnvironment{}) FpEnvironment{}.apply();
}

FpGuard::~FpGuard() {
  if (FpEnvironment::current() != saved_) saved_.apply();
}

FpEnvironment FpGuard::left_behind() const { return FpEnvironment::current(); }

}  // namespace ulpfuzz
