#include <fmt/format.h>

#include "launches.hpp"

namespace ulpfuzz::kernels::testing_support {
namespace {

std::size_t up_to(std::size_t most, std::mt19937& random) { return 1 + random() % most; }

// Of functions that have the same bits everywhere.
Phi exact_phi(std::mt19937& random) {
  constexpr Phi all[] = {Phi::identity, Phi::relu, Phi::leaky_relu};
  return all[random() % 3];
}

Decomposition decomposition(std::size_t i) {
  switch (i % 4) {
    case 1:
      return {.splits = 3};
    case 2:
      return {.stream = 5};
    case 3:
      return {.splits = 70};  // more than there are steps
    default:
      return {};
  }
}

struct Unit {
  const char* name;
  UnitGemm settings;
};

std::vector<Unit> units() {
  using namespace matmul_units;
  constexpr auto even = Rounding::nearest_even;
  constexpr auto zero = Rounding::toward_zero;
  constexpr auto fp16 = Format::fp16, bf16 = Format::bf16, fp32 = Format::fp32, tf32 = Format::tf32;
  return {{"ampere tf32", {}},
          {"ampere tf32, cut", {.conversion = zero}},
          {"hopper tf32, to even", {.unit = hopper_tf32, .conversion = even}},
          {"hopper tf32, ftz", {.unit = hopper_tf32, .flushes_subnormals = true}},
          {"volta fp16", {.unit = volta_half, .operand = fp16, .conversion = even}},
          {"turing fp16",
           {.unit = turing_half, .operand = fp16, .conversion = even, .accumulate = fp16}},
          {"ampere bf16", {.unit = ampere_half, .operand = bf16, .conversion = even}},
          {"hopper bf16", {.unit = hopper_half, .operand = bf16, .conversion = even}},
          {"hopper fp16",
           {.unit = hopper_half, .operand = fp16, .conversion = even, .accumulate = fp16}},
          {"tf32x3", {.unit = ampere_tf32, .operand = tf32, .split = Split::tf32x3}},
          {"bf16x3",
           {.unit = hopper_half, .operand = bf16, .conversion = even, .split = Split::bf16x3}},
          {"bf16x6",
           {.unit = hopper_half, .operand = bf16, .conversion = even, .split = Split::bf16x6}},
          {"bf16x9",
           {.unit = ampere_half, .operand = bf16, .conversion = even, .split = Split::bf16x9}},
          {"fp32 operands", {.unit = {1, 28}, .operand = fp32, .conversion = even}}};
}

}  // namespace

Product random_product(Problem& problem, std::size_t m, std::size_t n, std::size_t k,
                       std::mt19937& random, Values values) {
  Product p{.m = m, .n = n, .k = k, .entries = up_to(3, random)};
  const bool transpose_a = random() % 2, transpose_b = random() % 2, share_b = random() % 2;
  const std::size_t lda = (transpose_a ? m : k) + random() % 3;
  const std::size_t ldb = (transpose_b ? k : n) + random() % 3;
  p.a_row = transpose_a ? 1 : lda;
  p.a_step = transpose_a ? lda : 1;
  p.a_entry = lda * (transpose_a ? k : m);
  p.a_repeat = up_to(2, random);
  p.b_step = transpose_b ? 1 : ldb;
  p.b_column = transpose_b ? ldb : 1;
  p.b_entry = share_b ? 0 : ldb * (transpose_b ? n : k);
  p.a = problem.array(p.a_entry * p.entries, random, values);
  p.b = problem.array(ldb * (transpose_b ? n : k) * (share_b ? 1 : p.entries), random, values);
  if (random() % 2) p.bias = problem.array(n, random, values);
  p.y = problem.output(p.entries * m * n);
  p.phi = exact_phi(random);
  p.alpha = 0.125f;
  return p;
}

std::vector<Problem> gemm_problems(Values values) {
  std::mt19937 random(11);
  std::vector<Problem> problems;
  for (const Tile tile : {Tile::m16n16k16, Tile::m32n32k8, Tile::m64n64k8, Tile::m128n64k8})
    for (const std::uint32_t slices : {1u, 2u, 4u})
      for (const bool fused : {false, true})
        for (const bool bias_first : {false, true}) {
          const std::size_t i = problems.size();
          problems.emplace_back(fmt::format("gemm {}: tile {}, {} slices, fused {}, bias first {}",
                                            i, static_cast<int>(tile), slices, fused, bias_first));
          const Product product =
              random_product(problems.back(), up_to(140, random), up_to(80, random),
                             up_to(100, random), random, values);
          problems.back().launch =
              Gemm{product, tile, slices, fused, bias_first, decomposition(i / 3 + i)};
        }
  return problems;
}

std::vector<Problem> gemv_problems(Values values) {
  std::mt19937 random(12);
  std::vector<Problem> problems;
  for (const std::uint32_t lanes : {32u, 128u})
    for (const std::uint32_t vector : {1u, 4u})
      for (const bool fused : {false, true})
        for (const std::size_t k : {std::size_t{1}, std::size_t{37}, std::size_t{700}}) {
          problems.emplace_back(
              fmt::format("gemv: {} lanes, vector {}, fused {}, k {}", lanes, vector, fused, k));
          const std::size_t m = random() % 2 ? 1 : up_to(9, random);
          const Product product =
              random_product(problems.back(), m, up_to(70, random), k, random, values);
          problems.back().launch = Gemv{product, lanes, vector, fused};
        }
  return problems;
}

std::vector<Problem> unit_problems(Values values) {
  std::mt19937 random(13);
  std::vector<Problem> problems;
  for (const Unit& unit : units())
    for (std::size_t i = 0; i < 4; ++i) {
      problems.emplace_back(fmt::format("unit {}: decomposition {}", unit.name, i));
      UnitGemm gemm = unit.settings;
      gemm.product = random_product(problems.back(), up_to(70, random), up_to(70, random),
                                    up_to(90, random), random, values);
      gemm.parts = decomposition(i);
      problems.back().launch = gemm;
    }
  return problems;
}

}  // namespace ulpfuzz::kernels::testing_support
