#pragma once

#include <stdexcept>
#include <string>

#include "ulpfuzz/kernels/unit_tiles.hpp"

namespace ulpfuzz::kernels {

/// Throws std::invalid_argument for a unit that is none or is not emulated: blocks of 1, 2, 4, 8 or
/// 16 products, 1 to 28 fractional bits and sums in fp32 or fp16 are.
inline UnitTiles tiles_of(const UnitGemm& gemm) {
  const MatmulUnit& unit = gemm.unit;
  if (unit.block == 0 || UnitTiles::depth % unit.block != 0)
    throw std::invalid_argument("UnitGemm: a matmul unit of " + std::to_string(unit.block) +
                                " products; 1, 2, 4, 8 or 16 would fit");
  if (unit.fraction < 1 || unit.fraction > 28)
    throw std::invalid_argument("UnitGemm: a matmul unit with " + std::to_string(unit.fraction) +
                                " fractional bits; 1 to 28 would fit");
  const bool half = gemm.accumulate == Format::fp16;
  if (!half && gemm.accumulate != Format::fp32)
    throw std::invalid_argument("UnitGemm: sums in " + std::string(traits(gemm.accumulate).name) +
                                "; fp32 or fp16 would fit");
  const Product& p = gemm.product;
  const Tiling tiling = tiling_of(p, UnitTiles::rows, UnitTiles::columns);
  const Parts parts = parts_of(gemm.parts, tiling.tiles, p.k, UnitTiles::depth);
  const TiledProduct of{.product = p,
                        .tiling = tiling,
                        .parts = parts,
                        .combination = gemm.parts.combination,
                        .adds_bias = p.bias != nullptr,
                        .flushes = gemm.flushes_subnormals};
  return {of, {operand_conversion(gemm), unit, half}};
}

inline std::size_t workspace_of(const UnitGemm& gemm) { return tiles_of(gemm).of.workspace(); }

template <class Run>
void with_programs(const UnitGemm& gemm, float* workspace, const Run& run) {
  UnitTiles tiles = tiles_of(gemm);
  tiles.of.partials = workspace;
  with_combination(tiles.of, tiles, run);
}

}  // namespace ulpfuzz::kernels
