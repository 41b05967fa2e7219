#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

#include "ulpfuzz/kernels/combine_programs.hpp"
#include "ulpfuzz/kernels/gemm_tile.hpp"
#include "ulpfuzz/kernels/gemv_program.hpp"

/// Programs of Gemm and Gemv: see programs.hpp. std::invalid_argument for a field that has no
/// program.
namespace ulpfuzz::kernels {

/// use(shape) with the TileShape of a tile; what it returns has one type.
template <class Use>
auto with_shape(Tile tile, const Use& use) {
  switch (tile) {
    case Tile::m16n16k16:
      return use(TileShape<16, 16, 16, 1>{});
    case Tile::m32n32k8:
      return use(TileShape<32, 32, 8, 4>{});
    case Tile::m64n64k8:
      return use(TileShape<64, 64, 8, 8>{});
    case Tile::m128n64k8:
      break;
  }
  return use(TileShape<128, 64, 8, 8>{});
}

template <class Shape>
TiledProduct tiled(const Gemm& gemm, float* workspace) {
  const Product& p = gemm.product;
  const Tiling tiling = tiling_of(p, Shape::rows, Shape::columns);
  return {p,
          tiling,
          parts_of(gemm.parts, tiling.tiles, p.k, Shape::depth),
          gemm.parts.combination,
          p.bias != nullptr && !gemm.bias_first,
          workspace};
}

inline std::size_t workspace_of(const Gemm& gemm) {
  return with_shape(gemm.tile,
                    [&](auto shape) { return tiled<decltype(shape)>(gemm, nullptr).workspace(); });
}

template <class Run>
void with_programs(const Gemm& gemm, float* workspace, const Run& run) {
  with_shape(gemm.tile, [&](auto shape) {
    using Shape = decltype(shape);
    const TiledProduct of = tiled<Shape>(gemm, workspace);
    if (gemm.slices == 1)
      return with_combination(of, GemmTile<Shape, 1>{of, gemm.fused, gemm.bias_first}, run);
    if (gemm.slices == 2)
      return with_combination(of, GemmTile<Shape, 2>{of, gemm.fused, gemm.bias_first}, run);
    if (gemm.slices == 4)
      return with_combination(of, GemmTile<Shape, 4>{of, gemm.fused, gemm.bias_first}, run);
    throw std::invalid_argument("a gemm of " + std::to_string(gemm.slices) +
                                " slices; 1, 2 and 4 would fit");
  });
}

inline std::size_t workspace_of(const Gemv&) { return 0; }

template <class Run>
void with_programs(const Gemv& gemv, float* /*workspace*/, const Run& run) {
  const Product& p = gemv.product;
  const std::size_t elements = p.entries * p.m * p.n;
  if (gemv.lanes != 32 && gemv.lanes != 128)
    throw std::invalid_argument("a gemv of " + std::to_string(gemv.lanes) +
                                " lanes; 32 and 128 would fit");
  if (gemv.vector != 1 && gemv.vector != 4)
    throw std::invalid_argument("a gemv of vectors of " + std::to_string(gemv.vector) +
                                "; 1 and 4 would fit");
  if (elements == 0) return;
  if (gemv.lanes == 32) {
    constexpr std::size_t each = GemvElements<32>::elements;
    return run(GemvElements<32>{p, gemv.vector, gemv.fused}, (elements + each - 1) / each);
  }
  run(GemvElements<128>{p, gemv.vector, gemv.fused}, elements);
}

}  // namespace ulpfuzz::kernels
