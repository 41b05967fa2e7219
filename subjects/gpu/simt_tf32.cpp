#include "simt_profiles.hpp"
#include "simt_table.hpp"

namespace ulpfuzz::gpu {
namespace {

using kernels::Gemm;
using kernels::Gemv;
using kernels::Product;
using kernels::Tile;
using kernels::UnitGemm;

constexpr std::uint32_t most_splits = 4;

bool one_line(const Product& p) { return p.m == 1 || p.n == 1; }

// Products of some shapes stay in fp32.
Arithmetic tf32_claim() {
  Arithmetic claim;
  claim.operand = Format::tf32;
  claim.conversion = Rounding::nearest_away;
  claim.unit = matmul_units::ampere_tf32;
  claim.partials = most_splits;
  claim.mixed = true;
  return claim;
}

}  // namespace

// XLA leaves a dot to its own loop emitter where (rows of the left + columns of the right operand)
// times the contracted size is below 100 (gemm_rewrite_size_threshold), whatever its batch
// dimensions; all else goes to cuBLAS, whose default for fp32 under XLA is TF32. Whether the loops
// contract cannot be told from the published report, which comes out either way.
std::shared_ptr<const Profile> make_xla_ada() {
  return std::make_shared<TableProfile>(
      "as XLA on Ada: dots of (m + n) k < 100 in fp32, else TF32 on tensor cores", tf32_claim(),
      std::vector<Rule>{{[](const Product& p) { return (p.m + p.n) * p.k < 100; },
                         Gemm{.tile = Tile::m16n16k16, .fused = true}},
                        {[](const Product& p) { return p.k >= 128 && few_outputs(p); },
                         UnitGemm{.parts = {.splits = most_splits}}},
                        {always, UnitGemm{}}});
}

std::shared_ptr<const Profile> make_cublas_tf32() {
  return std::make_shared<TableProfile>(
      "TF32 as cuBLAS chooses by shape: gemv and small products in fp32, tensor cores with split-K "
      "else",
      tf32_claim(),
      std::vector<Rule>{{[](const Product& p) { return one_line(p) && p.k >= 16; },
                         Gemv{.lanes = 32, .vector = 4}},
                        {[](const Product& p) { return one_line(p) || p.m * p.n * p.k < 512; },
                         Gemm{.tile = Tile::m16n16k16}},
                        {[](const Product& p) { return p.k >= 96 && few_outputs(p); },
                         UnitGemm{.parts = {.splits = most_splits}}},
                        {always, UnitGemm{}}});
}

}  // namespace ulpfuzz::gpu
