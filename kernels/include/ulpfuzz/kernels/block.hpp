#pragma once

#include <cstddef>

#include "ulpfuzz/core/clones.hpp"
#include "ulpfuzz/kernels/execution_space.hpp"

/// Block programs: kernels of a GPU's thread blocks, written once and run on a device or on the
/// host with the same operations in the same order. A program is a copyable type with
///
///   static constexpr unsigned threads;   a multiple of 32
///   struct Shared;                       what the threads of a block share; trivial
///   template <class Block> ULPFUZZ_HOST_DEVICE void operator()(Block& block) const;
///
/// and works in phases: block.each(f) calls f(t) for every thread t of the block, and all of it is
/// done before what follows. Within a phase no thread reads what another one writes. What happens
/// between phases is the same for all threads of a block. A Block offers
///
///   index()                  of the block in its grid
///   shared()                 the block's Shared; undefined at the start
///   Registers<T>             one T a thread, r[t]; undefined at the start
///   each(f)                  a phase
///   each(count, f)           a phase of threads 0 .. count - 1; the others wait
///   exchange(r, mask)        Registers of r[t ^ mask], mask 1, 2, 4, 8 or 16: a warp shuffle; all
///                            threads take part
///   atomic_add(to, value)    *to += value, rounded; blocks come in any order
///
/// Bits agree for + - * /, sqrt, comparisons and explicit fma, with contraction off on both sides;
/// functions such as exp are those of each side's library. NaNs agree as NaNs.
namespace ulpfuzz::kernels {

inline constexpr unsigned warp = 32;

/// A block on the host: its threads take turns in every phase.
template <class Program>
class HostBlock {
 public:
  using Shared = typename Program::Shared;
  template <class T>
  struct Registers {
    T of[Program::threads];
    T& operator[](unsigned thread) { return of[thread]; }
    const T& operator[](unsigned thread) const { return of[thread]; }
  };

  HostBlock(std::size_t index, Shared& shared) : index_(index), shared_(shared) {}

  std::size_t index() const { return index_; }
  Shared& shared() { return shared_; }
  template <class Phase>
  ULPFUZZ_INLINE void each(const Phase& phase) {
    for (unsigned t = 0; t < Program::threads; ++t) phase(t);
  }
  template <class Phase>
  ULPFUZZ_INLINE void each(unsigned count, const Phase& phase) {
    for (unsigned t = 0; t < count; ++t) phase(t);
  }
  template <class T>
  ULPFUZZ_INLINE Registers<T> exchange(const Registers<T>& r, unsigned mask) {
    Registers<T> y;
    for (unsigned first = 0; first < Program::threads; first += 2 * mask)  // copies of stretches
      for (unsigned t = first; t < first + mask; ++t) {
        y[t] = r[t + mask];
        y[t + mask] = r[t];
      }
    return y;
  }
  void atomic_add(float* to, float value) { *to = *to + value; }

 private:
  std::size_t index_;
  Shared& shared_;
};

}  // namespace ulpfuzz::kernels
