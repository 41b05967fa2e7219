#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "ulpfuzz/kernels/block.hpp"

/// Runs block programs as a device may: the threads of a phase in any order, and memory that nobody
/// wrote full of NaNs. A program whose bits depend on either has a race or reads what is undefined.
namespace ulpfuzz::kernels {

enum class ThreadOrder : std::uint8_t { reversed, random };

/// A quiet NaN whose payload shows where it came from.
inline constexpr std::uint32_t poison = 0x7fc5a5a5u;

/// Fills whole words with the poison.
inline void fill_with_poison(void* memory, std::size_t bytes) {
  for (std::size_t i = 0; i + sizeof(poison) <= bytes; i += sizeof(poison))
    std::memcpy(static_cast<char*>(memory) + i, &poison, sizeof(poison));
}

/// HostBlock's interface, with another order of threads in each phase.
template <class Program>
class ShuffledBlock {
 public:
  using Shared = typename Program::Shared;
  template <class T>
  struct Registers {
    Registers() { fill_with_poison(of, sizeof(of)); }
    T& operator[](unsigned thread) { return of[thread]; }
    const T& operator[](unsigned thread) const { return of[thread]; }
    T of[Program::threads];
  };

  ShuffledBlock(std::size_t index, Shared& shared, ThreadOrder order, std::mt19937& random)
      : index_(index), shared_(shared), order_(order), random_(random) {}

  std::size_t index() const { return index_; }
  Shared& shared() { return shared_; }
  template <class Phase>
  void each(const Phase& phase) {
    each(Program::threads, phase);
  }
  template <class Phase>
  void each(unsigned count, const Phase& phase) {
    std::vector<unsigned> threads(count);
    std::iota(threads.rbegin(), threads.rend(), 0u);
    if (order_ == ThreadOrder::random)
      for (unsigned i = count; i > 1; --i) std::swap(threads[i - 1], threads[random_() % i]);
    for (const unsigned t : threads) phase(t);
  }
  template <class T>
  Registers<T> exchange(const Registers<T>& r, unsigned mask) {
    Registers<T> y;
    for (unsigned t = 0; t < Program::threads; ++t) y[t] = r[t ^ mask];
    return y;
  }
  void atomic_add(float* to, float value) { *to = *to + value; }

 private:
  std::size_t index_;
  Shared& shared_;
  ThreadOrder order_;
  std::mt19937& random_;
};

/// What `with_programs` calls: runs the blocks of each program, ascending or in a random order.
class ShuffledRun {
 public:
  explicit ShuffledRun(ThreadOrder order, bool shuffles_blocks = false)
      : order_(order), shuffles_blocks_(shuffles_blocks) {}

  template <class Program>
  void operator()(const Program& program, std::size_t blocks) const {
    std::vector<std::size_t> indices(blocks);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    if (shuffles_blocks_)
      for (std::size_t i = blocks; i > 1; --i) std::swap(indices[i - 1], indices[random_() % i]);
    const auto shared = std::make_unique<typename Program::Shared>();
    for (const std::size_t i : indices) {
      fill_with_poison(shared.get(), sizeof(typename Program::Shared));
      ShuffledBlock<Program> block(i, *shared, order_, random_);
      program(block);
    }
  }

 private:
  ThreadOrder order_;
  bool shuffles_blocks_;
  mutable std::mt19937 random_{20240229};
};

}  // namespace ulpfuzz::kernels
