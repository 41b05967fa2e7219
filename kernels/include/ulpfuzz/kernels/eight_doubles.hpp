#pragma once

#include <cstdint>

#include "ulpfuzz/core/clones.hpp"
#include "ulpfuzz/kernels/fp64_rounding.hpp"

/// Eight fp64 numbers side by side, in vectors of the compiler. For the host alone.
namespace ulpfuzz::kernels {

typedef float EightFloats __attribute__((vector_size(32), aligned(4), may_alias));
typedef double EightDoubles __attribute__((vector_size(64)));
typedef std::uint64_t EightBits __attribute__((vector_size(64)));
typedef std::int64_t EightLongs __attribute__((vector_size(64)));
typedef std::int32_t EightInts __attribute__((vector_size(32)));
typedef std::uint32_t EightWords __attribute__((vector_size(32)));

/// In the form of Scalar.
struct Eight {
  using Double = EightDoubles;
  using Bits = EightBits;
  using Ints = EightInts;
  static constexpr unsigned width = 8;
  ULPFUZZ_INLINE static EightInts integer(EightDoubles x) {
    return __builtin_convertvector(x, EightInts);
  }
  ULPFUZZ_INLINE static EightInts add(EightInts x, EightInts y) {
    return __builtin_bit_cast(
        EightInts, __builtin_bit_cast(EightWords, x) + __builtin_bit_cast(EightWords, y));
  }
  ULPFUZZ_INLINE static EightDoubles real(EightInts x) {
    return __builtin_convertvector(x, EightDoubles);
  }
  ULPFUZZ_INLINE static EightDoubles load(const float* from) {
    return __builtin_convertvector(*reinterpret_cast<const EightFloats*>(from), EightDoubles);
  }
  ULPFUZZ_INLINE static EightDoubles load(const double* from) {
    EightDoubles x;
    __builtin_memcpy(&x, from, sizeof(x));
    return x;
  }
  ULPFUZZ_INLINE static EightInts load(const std::int32_t* from) {
    EightInts x;
    __builtin_memcpy(&x, from, sizeof(x));
    return x;
  }
  ULPFUZZ_INLINE static EightInts narrow(EightBits x) {
    return __builtin_convertvector(x, EightInts);
  }
  ULPFUZZ_INLINE static EightBits widen(EightInts x) {
    return __builtin_bit_cast(EightBits, __builtin_convertvector(x, EightLongs));
  }
  ULPFUZZ_INLINE static bool any(EightInts x) {
    std::uint64_t two[4];
    __builtin_memcpy(two, &x, sizeof(two));
    return (two[0] | two[1] | two[2] | two[3]) != 0;
  }
  ULPFUZZ_INLINE static void store(EightDoubles x, float* to) {
    *reinterpret_cast<EightFloats*>(to) = __builtin_convertvector(x, EightFloats);
  }
};

}  // namespace ulpfuzz::kernels
