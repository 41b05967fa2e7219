#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "ulpfuzz/core/clones.hpp"
#include "ulpfuzz/kernels/block.hpp"
#include "ulpfuzz/kernels/device.hpp"

/// Launches on the host, one function a launch, so that each is compiled for several machines.
namespace ulpfuzz::kernels::host {

/// The order in which blocks are run; empty: ascending.
using Order = std::vector<std::uint32_t>;
/// Fills in the order of a program's blocks before it is run.
class Shuffle {
 public:
  explicit Shuffle(BlockOrder order) : order_(order) {}
  const Order& of(std::size_t blocks);

 private:
  BlockOrder order_;
  std::mt19937_64 random_;
  Order last_;
};

template <template <class> class Block = HostBlock, class Program>
ULPFUZZ_INLINE void run(const Program& program, std::size_t blocks, Shuffle& shuffle) {
  const Order& order = shuffle.of(blocks);
  typename Program::Shared shared;
  for (std::size_t i = 0; i < blocks; ++i) {
    Block<Program> block(order.empty() ? i : order[i], shared);
    program(block);
  }
}

void launch(const Gemm& gemm, float* workspace, Shuffle& shuffle);
void launch(const Gemv& gemv, float* workspace, Shuffle& shuffle);
void launch(const UnitGemm& gemm, float* workspace, Shuffle& shuffle);
void launch(const Softmax& softmax, float* workspace, Shuffle& shuffle);
void launch(const Norm& norm, float* workspace, Shuffle& shuffle);
void launch(const RowGradient& gradient, float* workspace, Shuffle& shuffle);
void launch(const ColumnSum& sum, float* workspace, Shuffle& shuffle);
void launch(const Map& map, float* workspace, Shuffle& shuffle);
void launch(const Move& move, float* workspace, Shuffle& shuffle);
void launch(const CheckZones& zones, float* workspace, Shuffle& shuffle);
void launch(const Pack& pack, float* workspace, Shuffle& shuffle);

}  // namespace ulpfuzz::kernels::host
