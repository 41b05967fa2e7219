#pragma once

#include <cstddef>
#include <cstdint>

#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz::kernels {

/// An elementwise function: the activations of networks.
enum class Phi : std::uint8_t {
  identity,
  relu,
  leaky_relu,
  tanh,
  sigmoid,
  silu,
  gelu_erf,
  gelu_tanh,
  softplus,
  elu
};

/// y = phi(op(a) op(b) + bias), `entries` times. Sizes and strides in floats; all of a transposed,
/// a row-major or a broadcast operand is a matter of strides. Element (i, q) of a in entry e is
/// a[e / a_repeat * a_entry + i * a_row + q * a_step]; (q, j) of b is
/// b[e / b_repeat * b_entry + q * b_step + j * b_column]; (i, j) of y is
/// y[e * m * n + i * n + j], dense.
struct Product {
  std::size_t m = 0, n = 0, k = 0;
  std::size_t entries = 1;
  const float* a = nullptr;
  std::size_t a_row = 0, a_step = 0, a_entry = 0, a_repeat = 1;
  const float* b = nullptr;
  std::size_t b_step = 0, b_column = 0, b_entry = 0, b_repeat = 1;
  const float* bias = nullptr;  ///< n, the same in every entry; may be null
  float* y = nullptr;
  Phi phi = Phi::identity;  ///< the epilogue
  float alpha = 0;          ///< of leaky_relu and elu
};

/// How the partial sums of a dot product that several blocks share are combined.
enum class Combination : std::uint8_t {
  ordered,  ///< written apart, then added first to last: ((p0 + p1) + p2) + ...
  atomic    ///< added to y, which starts at +0, in the order in which blocks happen to end
};

/// Part of k that one block adds up. k is cut in steps of tile_k terms, the last one shorter; there
/// is one at least, without terms where k is 0. Shares are contiguous, the first ones longer by one
/// where it does not divide.
///   split-K   the steps of each tile in `splits` shares, but no more than there are steps; one
///             share is no split: nothing is combined
///   stream-K  the steps of all tiles, entry by entry, row by row, in `stream` shares, but no more
///             than there are steps: a tile's sum may be cut anywhere between steps (Osama et al.,
///             arXiv 2301.03598). `splits` does not count then.
/// Each part starts at +0.
struct Decomposition {
  std::uint32_t splits = 1;
  std::uint32_t stream = 0;  ///< 0: no stream-K
  Combination combination = Combination::ordered;
};

/// Output elements of one block and steps along k.
enum class Tile : std::uint8_t { m16n16k16, m32n32k8, m64n64k8, m128n64k8 };

/// fp32 on ordinary cores. A thread adds the terms of an element first to last, starting at +0.
/// With `slices` > 1 a block's threads work in so many groups: group s takes the terms q of its
/// block with s tile_k / slices <= q mod tile_k < (s + 1) tile_k / slices; the sum of group s +
/// slices / 2 is added to that of group s, and so on by halves. Nothing is added for terms that do
/// not exist, but a group without terms has the sum +0. The bias is added last, after all parts, or
/// is what group 0 of the part with term 0 starts at (`bias_first`). phi comes last.
struct Gemm {
  Product product{};
  Tile tile = Tile::m64n64k8;
  std::uint32_t slices = 1;  ///< 1, 2 or 4
  bool fused = true;         ///< products are added by fma
  bool bias_first = false;
  Decomposition parts{};
};

/// fp32, one output element for each group of `lanes` threads: with v = `vector`, lane l takes the
/// terms q with q / v mod lanes == l, first to last from +0 on; then a butterfly in each warp:
/// lanes l and l ^ 16 are added, l ^ 8, ... l ^ 1; of 128 lanes last the warps' sums, (w0 + w2) +
/// (w1 + w3). Bias last. Meant for m or n 1.
struct Gemv {
  Product product{};
  std::uint32_t lanes = 32;  ///< 32 or 128
  std::uint32_t vector = 1;  ///< 1 or 4
  bool fused = true;
};

/// A matmul unit (tensor core), emulated: blocks of unit.block products are added to the
/// accumulator, first to last, as ulpfuzz/kernels/matmul_unit.hpp has it. Operands are converted as
/// `operand`, `conversion` and `split` of the arithmetic say; of split operands the products of
/// pieces are added block by block, smallest first. accumulate fp16: the sum of each block is
/// rounded to fp16. The bias is added in fp32, last. Tiles are of 32 x 32 elements, steps of 16
/// terms. With flushes_subnormals what is subnormal of pieces, sums of blocks and of ordered parts,
/// bias and y is zero.
struct UnitGemm {
  Product product{};
  MatmulUnit unit = matmul_units::ampere_tf32;
  Format operand = Format::tf32;
  Rounding conversion = Rounding::nearest_away;
  Split split = Split::none;
  Format accumulate = Format::fp32;
  bool flushes_subnormals = false;
  Decomposition parts{};
};

}  // namespace ulpfuzz::kernels
