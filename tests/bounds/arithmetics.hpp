#pragma once

#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz::bounds::testing {

inline Arithmetic matmul_in(Format operand, Rounding conversion = Rounding::nearest_even) {
  Arithmetic a;
  a.operand = operand;
  a.conversion = conversion;
  return a;
}

inline Arithmetic split_in(Split split, Rounding conversion = Rounding::nearest_even) {
  Arithmetic a;
  a.split = split;
  a.conversion = conversion;
  return a;
}

inline Arithmetic flushing(Arithmetic a = {}) {
  a.flushes_subnormals = true;
  return a;
}

inline Arithmetic all_in(Format format) {
  Arithmetic a;
  a.operand = a.accumulate = a.store = format;
  return a;
}

inline Arithmetic kept_in(Format format, Arithmetic a = {}) {
  a.keep = format;
  return a;
}

inline Arithmetic stored_in(Format format, Arithmetic a = {}) {
  a.store = format;
  return a;
}

inline Arithmetic without_outer(Arithmetic a) {
  a.outer_by_matmul = false;
  return a;
}

}  // namespace ulpfuzz::bounds::testing
