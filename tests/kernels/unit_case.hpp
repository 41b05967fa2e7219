#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/naive_unit.hpp"
#include "ulpfuzz/kernels/product.hpp"

/// Products of random shapes and layouts for an emulated matmul unit, and what they must give.
namespace ulpfuzz::kernels::unit_case {

inline constexpr float guard = -0x1.234p77f;

enum class Data { usual, wide, special };

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  template <class T, std::size_t N>
  T pick(const T (&list)[N]) {
    return list[below(N)];
  }
  float number(Data data) {
    static constexpr float specials[] = {
        0.0f,      -0.0f,    0x1p-149f,  -0x1.8p-130f,
        0x1p-126f, 65504.0f, 65520.0f,   INFINITY,
        -INFINITY, NAN,      0x1p-24f,   0x1p-14f,
        1.0f,      -1.0f,    0x1.004p0f, std::numeric_limits<float>::max()};
    const float usual = std::uniform_real_distribution<float>(-1.25f, 1.25f)(engine_);
    if (data == Data::usual) return usual;
    if (data == Data::special && below(12) == 0) return pick(specials);
    const int least = below(4) == 0 ? -149 : -30;
    return std::ldexp(usual, std::uniform_int_distribution<int>(least, 30)(engine_));
  }

 private:
  std::mt19937 engine_;
};

struct Generation {
  const char* name;
  MatmulUnit unit;
  Format operand;
};
inline constexpr Generation generations[] = {
    {"Volta", matmul_units::volta_half, Format::fp16},
    {"Turing", matmul_units::turing_half, Format::fp16},
    {"AmpereTf32", matmul_units::ampere_tf32, Format::tf32},
    {"AmpereBf16", matmul_units::ampere_half, Format::bf16},
    {"HopperTf32", matmul_units::hopper_tf32, Format::tf32},
    {"HopperFp16", matmul_units::hopper_half, Format::fp16},
    {"HopperBf16", matmul_units::hopper_half, Format::bf16}};

/// Owns what a UnitGemm points to.
struct Case {
  UnitGemm gemm;
  std::vector<float> a, b, bias, y;

  void point() {
    Product& p = gemm.product;
    p.a = a.data();
    p.b = b.data();
    p.bias = bias.empty() ? nullptr : bias.data();
    y.assign(p.entries * p.m * p.n + 1, guard);
    p.y = y.data();
  }
};

/// With operands laid out by rows or columns, of their own, repeated or the same for all entries.
inline Case random_case(Draw& draw, const UnitGemm& unit, Data data) {
  Case c;
  c.gemm = unit;
  Product& p = c.gemm.product;
  p.m = draw.below(3) == 0 ? 1 : draw.below(70);
  p.n = 1 + draw.below(draw.below(2) == 0 ? 9 : 70);
  p.k = draw.below(4) == 0 ? draw.below(6) : draw.below(90);
  p.entries = draw.below(2) == 0 ? 1 : 1 + draw.below(4);
  const std::size_t gap = draw.below(3);
  const bool by_rows = draw.below(2) == 0, by_columns = draw.below(2) == 0;
  p.a_row = by_rows ? p.k + gap : 1;
  p.a_step = by_rows ? 1 : p.m + gap;
  p.b_column = by_columns ? p.k + gap : 1;
  p.b_step = by_columns ? 1 : p.n + gap;
  p.a_repeat = 1 + draw.below(2);
  p.b_repeat = 1 + draw.below(2);
  p.a_entry = draw.below(3) == 0 ? 0 : (p.m + gap) * (p.k + gap);
  p.b_entry = draw.below(3) == 0 ? 0 : (p.n + gap) * (p.k + gap);
  const auto fill = [&](std::vector<float>& v, std::size_t count) {
    v.resize(count);
    for (float& x : v) x = draw.number(data);
  };
  fill(c.a, p.entries * (p.m + gap) * (p.k + gap));
  fill(c.b, p.entries * (p.n + gap) * (p.k + gap));
  fill(c.bias, draw.below(2) == 0 ? 0 : p.n);
  c.point();
  return c;
}

inline Arithmetic arithmetic_of(const UnitGemm& g) {
  Arithmetic a;
  a.operand = g.operand;
  a.conversion = g.conversion;
  a.split = g.split;
  a.accumulate = g.accumulate;
  a.unit = g.unit;
  a.flushes_subnormals = g.flushes_subnormals;
  return a;
}

/// Where the sum of a tile is cut, of `steps` steps: 0, ..., steps.
inline std::vector<std::size_t> cuts_of(const Decomposition& d, std::size_t tile, std::size_t tiles,
                                        std::size_t steps) {
  std::vector<std::size_t> cuts{0};
  const auto add = [&](std::size_t total, std::size_t shares, std::size_t from) {
    for (std::size_t s = 1, at = 0; s <= shares; ++s) {
      at += total / shares + (s <= total % shares);
      if (at > from && at < from + steps && at - from > cuts.back()) cuts.push_back(at - from);
    }
  };
  if (d.stream == 0)
    add(steps, std::min<std::size_t>(d.splits, steps), 0);
  else
    add(steps * tiles, std::min<std::size_t>(d.stream, steps * tiles), tile * steps);
  cuts.push_back(steps);
  return cuts;
}

/// Element (i, j) of entry e, by the definitions, rounded where UnitGemm rounds. The blocks of
/// atomic parts come in order; their sums are flushed when all are there.
inline float expected(const Case& c, std::size_t e, std::size_t i, std::size_t j) {
  const UnitGemm& g = c.gemm;
  const Product& p = g.product;
  std::vector<float> x, w;
  for (std::size_t q = 0; q < p.k; ++q) {
    x.push_back(p.a[e / p.a_repeat * p.a_entry + i * p.a_row + q * p.a_step]);
    w.push_back(p.b[e / p.b_repeat * p.b_entry + q * p.b_step + j * p.b_column]);
  }
  naive_emulation::UnitSum unit(arithmetic_of(g));
  unit.take(x, w);
  const auto kept = [&](float v) { return static_cast<float>(unit.flushed(v)); };
  constexpr std::size_t tile = 32, step = 16;
  const std::size_t across = (p.n + tile - 1) / tile, down = (p.m + tile - 1) / tile;
  const std::vector<std::size_t> cuts =
      cuts_of(g.parts, (e * down + i / tile) * across + j / tile, p.entries * down * across,
              std::max<std::size_t>(1, (p.k + step - 1) / step));
  const bool atomic =
      g.parts.combination == Combination::atomic && (g.parts.stream != 0 || cuts.size() > 2);
  float y = 0;
  for (std::size_t part = 0; part + 1 < cuts.size(); ++part) {
    const auto sum = static_cast<float>(
        unit.unit(nullptr, cuts[part] * step, std::min(p.k, cuts[part + 1] * step)));
    y = atomic ? y + sum : part == 0 ? sum : kept(y + sum);
  }
  y = kept(y);
  if (p.bias != nullptr) y = kept(y + kept(p.bias[j]));
  if (p.phi == Phi::relu) y = y < 0 ? 0 : y;
  if (p.phi == Phi::tanh) y = kept(std::tanh(y));
  return y;
}

}  // namespace ulpfuzz::kernels::unit_case
