#include <gtest/gtest.h>

#include "product_case.hpp"

namespace ulpfuzz::kernels {
namespace {

constexpr Phi all_phis[] = {Phi::identity, Phi::relu, Phi::leaky_relu, Phi::tanh,
                            Phi::sigmoid,  Phi::silu, Phi::gelu_erf,   Phi::gelu_tanh,
                            Phi::softplus, Phi::elu};

// phi of y, by a launch of its own.
Floats mapped(Phi phi, float alpha, const Floats& y) {
  Map map;
  map.kind = Map::Kind::activation;
  map.phi = phi;
  map.alpha = alpha;
  map.x = y.data();
  map.count = y.size();
  Floats result(y.size());
  map.y = result.data();
  make_host_device()->launch(map, nullptr);
  return result;
}

// Whatever the kernel and whoever combines its parts.
template <class Launch>
void expect_epilogue_like_map(Launch launch, const std::string& what) {
  for (const Phi phi : all_phis) {
    launch.product.phi = Phi::identity;
    const Floats expected = mapped(phi, launch.product.alpha, product_on_host(launch));
    launch.product.phi = phi;
    expect_bits(product_on_host(launch), expected,
                what + ", phi " + std::to_string(static_cast<int>(phi)));
  }
}

TEST(Epilogue, HasTheBitsOfALaunchOfItsOwn) {
  std::mt19937 random(23);
  for (const auto values : {Values::moderate, Values::wide, Values::special})
    for (const bool biased : {false, true}) {
      Operands o = operands(19, 21, 40, values, random);
      o.product.bias = biased ? o.bias.data() : nullptr;
      const Gemm whole{o.product, Tile::m16n16k16};
      Gemm ordered = whole, stream = whole, atomic = whole;
      ordered.parts.splits = 3;
      stream.parts.stream = 5;
      atomic.parts = {3, 0, Combination::atomic};
      expect_epilogue_like_map(whole, "whole");
      expect_epilogue_like_map(ordered, "split-K");
      expect_epilogue_like_map(stream, "stream-K");
      expect_epilogue_like_map(atomic, "atomic");
      expect_epilogue_like_map(Gemv{o.product}, "gemv");
      expect_epilogue_like_map(UnitGemm{.product = o.product}, "unit");
    }
}

}  // namespace
}  // namespace ulpfuzz::kernels
