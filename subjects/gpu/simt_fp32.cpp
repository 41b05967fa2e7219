#include "simt_profiles.hpp"
#include "simt_table.hpp"

namespace ulpfuzz::gpu {
namespace {

using kernels::Combination;
using kernels::Gemm;
using kernels::Gemv;
using kernels::Product;
using kernels::Tile;

// Shorter sums are not worth a warp each.
constexpr std::size_t least_gemv = 16;

}  // namespace

// The thresholds are in the reach of small networks, so that each kernel has its turn.
std::shared_ptr<const Profile> make_cublas_fp32() {
  return std::make_shared<TableProfile>(
      "fp32 as cuBLAS chooses by shape: gemv for one row, slices and split-K for few outputs, "
      "stream-K, tiles",
      Arithmetic{},
      std::vector<Rule>{
          {[](const Product& p) { return p.m == 1 && p.k >= 64; }, Gemv{.lanes = 128, .vector = 4}},
          {[](const Product& p) { return p.m == 1 && p.k >= least_gemv; },
           Gemv{.lanes = 32, .vector = 1}},
          {[](const Product& p) { return p.n == 1 && p.k >= least_gemv; },
           Gemv{.lanes = 32, .vector = 4}},
          {[](const Product& p) { return p.k >= 96 && few_outputs(p); },
           Gemm{.tile = Tile::m16n16k16, .parts = {.splits = 4}}},
          {[](const Product& p) { return p.m <= 4; }, Gemm{.tile = Tile::m16n16k16, .slices = 4}},
          {[](const Product& p) { return p.k >= 64; },
           Gemm{.tile = Tile::m32n32k8, .parts = {.stream = 6}}},
          {[](const Product& p) { return p.m <= 16; }, Gemm{.tile = Tile::m16n16k16}},
          {[](const Product& p) { return p.m <= 32; },
           Gemm{.tile = Tile::m32n32k8, .slices = 2, .bias_first = true}},
          {[](const Product& p) { return p.m >= 96; }, Gemm{.tile = Tile::m128n64k8}},
          {always, Gemm{.tile = Tile::m64n64k8}}});
}

std::shared_ptr<const Profile> make_batch_invariant() {
  return std::make_shared<TableProfile>(
      "fp32, one kernel whatever the shape: the same bits for a row in every batch", Arithmetic{},
      std::vector<Rule>{{always, Gemm{.tile = Tile::m32n32k8, .slices = 2}}});
}

namespace {

class Atomics final : public TableProfile {
 public:
  using TableProfile::TableProfile;
  bool deterministic() const override { return false; }
  void sum(Session& session, kernels::ColumnSum sum) const override {
    sum.rows_at_once = 4;
    sum.parts = 4;
    sum.combination = Combination::atomic;
    session.launch(sum);
  }
};

}  // namespace

std::shared_ptr<const Profile> make_atomics() {
  return std::make_shared<Atomics>(
      "fp32, split-K and sums over rows combined by atomics: other bits from call to call",
      Arithmetic{},
      std::vector<Rule>{
          {[](const Product& p) { return p.k >= 256; },
           Gemm{.tile = Tile::m32n32k8,
                .parts = {.splits = 16, .combination = Combination::atomic}}},
          {always, Gemm{.tile = Tile::m16n16k16,
                        .parts = {.splits = 4, .combination = Combination::atomic}}}});
}

}  // namespace ulpfuzz::gpu
