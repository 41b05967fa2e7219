#include "failure_words.hpp"

namespace ulpfuzz::report {

std::string_view meaning_of(FailureClass failure) {
  switch (failure) {
    case FailureClass::beyond_bound:
      return "a difference is larger than rounding allows";
    case FailureClass::nonfinite_mismatch:
      return "NaN or infinity stands on one side alone, or where the result is safely finite";
    case FailureClass::unwritten:
      return "an element of the output was never written";
    case FailureClass::out_of_bounds:
      return "memory around an output was written";
    case FailureClass::not_bitwise:
      return "bits differ where equal bits were demanded";
    case FailureClass::nondeterministic:
      return "the same call gave other bits the second time";
    case FailureClass::fp_environment:
      return "the floating-point environment was left changed";
    case FailureClass::exception:
      return "the subject threw an exception";
    case FailureClass::crash:
      return "the process died in the subject";
    case FailureClass::hang:
      return "the subject did not come back in time";
    case FailureClass::out_of_memory:
      return "the process grew beyond its limit of memory";
    case FailureClass::none:
      break;
  }
  return "it does not";
}

}  // namespace ulpfuzz::report
