#include "ulpfuzz/diagnosis/hypothesis.hpp"

#include <string>
#include <vector>

namespace ulpfuzz::diagnosis {
namespace {

constexpr const char* no_tf32 =
    "ask for full fp32 products: jax_default_matmul_precision=\"highest\" (JAX); "
    "torch.set_float32_matmul_precision(\"highest\") and torch.backends.cudnn.allow_tf32 = False "
    "(PyTorch); CUBLAS_COMPUTE_32F_PEDANTIC (cuBLAS); NVIDIA_TF32_OVERRIDE=0 (any program)";
constexpr const char* no_split =
    "ask for native fp32 products instead of their emulation by narrow ones: "
    "jax_default_matmul_precision=\"highest\" (JAX), "
    "torch.set_float32_matmul_precision(\"highest\") (PyTorch)";
constexpr const char* no_half =
    "keep products in fp32: no autocast or mixed precision around this evaluation, "
    "torch.set_float32_matmul_precision(\"highest\") (PyTorch), "
    "jax_default_matmul_precision=\"highest\" (JAX)";
constexpr const char* no_kept_half =
    "compare in fp32: no torch.autocast or .half() / .bfloat16() around this evaluation (PyTorch), "
    "parameters and inputs as jnp.float32 (JAX); or give both sides the same format and the "
    "comparison a tolerance of that format";
constexpr const char* no_narrow_sum =
    "accumulate in fp32: CUBLAS_COMPUTE_32F instead of CUBLAS_COMPUTE_16F (cuBLAS), "
    "preferred_element_type=jnp.float32 (JAX)";
constexpr const char* no_narrow_partials =
    "keep split-K partial sums in fp32: "
    "torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False and "
    "allow_bf16_reduced_precision_reduction = False (PyTorch), "
    "CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION (cuBLAS)";
constexpr const char* no_fast_math =
    "compile without --use_fast_math (nvcc) or -ffast-math, and call the accurate functions";

/// fp32 with operands converted and added by a unit.
Arithmetic products(Format operand, Rounding conversion, MatmulUnit unit) {
  Arithmetic a;
  a.operand = operand;
  a.conversion = conversion;
  a.unit = unit;
  return a;
}

Arithmetic pieces(Split split, Rounding conversion) {
  Arithmetic a;
  a.split = split;
  a.conversion = conversion;
  return a;
}

Arithmetic narrow_partials(Format format) {
  Arithmetic a;
  a.partials = 4;
  a.partial = format;
  return a;
}

Arithmetic narrow_sums(Format format) {
  Arithmetic a;
  a.operand = a.accumulate = format;
  return a;
}

/// What autocast and networks in a narrow format do: all results kept in it, sums in fp32. Outputs
/// are results, so `store` would add nothing.
Arithmetic kept(Format format) {
  Arithmetic a;
  a.operand = a.keep = format;
  return a;
}

Hypothesis with(std::string name, std::string words, std::string remedy, Arithmetic a) {
  Hypothesis h;
  h.name = std::move(name);
  h.words = std::move(words);
  h.remedy = std::move(remedy);
  h.arithmetic = a;
  return h;
}

struct Unit {
  const char* name;   ///< " ada"; empty: fp32 accumulation
  const char* model;  ///< "Ada"
  MatmulUnit unit;
};

void add_operands(std::vector<Hypothesis>& list, const char* name, const char* words,
                  const char* rounding, const char* remedy, Format format, Rounding conversion,
                  std::initializer_list<Unit> units) {
  for (const Unit& u : units) {
    std::string text = words;
    if (u.unit.block != 0)
      text += std::string(", tensor-core accumulation (") + u.model + " model)";
    list.push_back(with(std::string(name) + u.name, text + rounding, remedy,
                        products(format, conversion, u.unit)));
  }
}

void add_splits(std::vector<Hypothesis>& list) {
  list.push_back(with("tf32x3", "fp32 emulated by three TF32 products (TF32x3)", no_split,
                      pieces(Split::tf32x3, Rounding::nearest_away)));
  list.push_back(with("bf16x6", "fp32 emulated by six bf16 products (bf16x6)", no_split,
                      pieces(Split::bf16x6, Rounding::nearest_even)));
  list.push_back(with("bf16x3", "fp32 emulated by three bf16 products (bf16x3)", no_split,
                      pieces(Split::bf16x3, Rounding::nearest_even)));
}

void add_tf32(std::vector<Hypothesis>& list) {
  const Unit ada{" ada", "Ada", matmul_units::ampere_tf32};
  const Unit hopper{" hopper", "Hopper", matmul_units::hopper_tf32};
  const Unit none{"", "", {}};
  add_operands(list, "tf32 rna", "TF32", ", inputs rounded to nearest away", no_tf32, Format::tf32,
               Rounding::nearest_away, {ada, hopper, none});
  add_operands(list, "tf32 rne", "TF32", ", inputs rounded to nearest even", no_tf32, Format::tf32,
               Rounding::nearest_even, {ada, hopper, none});
  add_operands(list, "tf32 rz", "TF32", ", inputs truncated", no_tf32, Format::tf32,
               Rounding::toward_zero, {ada, hopper, none});
}

void add_halves(std::vector<Hypothesis>& list) {
  const Unit volta{" volta", "Volta", matmul_units::volta_half};
  const Unit ampere{" ampere", "Turing, Ampere and Ada", matmul_units::ampere_half};
  const Unit hopper{" hopper", "Hopper", matmul_units::hopper_half};
  const Unit none{"", "", {}};
  add_operands(list, "fp16", "fp16 operands", "", no_half, Format::fp16, Rounding::nearest_even,
               {ampere, hopper, volta, none});
  add_operands(list, "bf16", "bf16 operands", "", no_half, Format::bf16, Rounding::nearest_even,
               {ampere, hopper, none});
}

void add_kept(std::vector<Hypothesis>& list) {
  constexpr const char* rest = ", as under autocast: operands, biases and results, sums in fp32";
  list.push_back(with("fp16 kept", std::string("fp16") + rest, no_kept_half, kept(Format::fp16)));
  list.back().parameters = Format::fp16;
  list.push_back(with("bf16 kept", std::string("bf16") + rest, no_kept_half, kept(Format::bf16)));
  list.back().parameters = Format::bf16;
}

void add_narrow_sums(std::vector<Hypothesis>& list) {
  list.push_back(with("fp16 partials", "partial sums rounded to fp16 (split-K)", no_narrow_partials,
                      narrow_partials(Format::fp16)));
  list.push_back(with("bf16 partials", "partial sums rounded to bf16 (split-K)", no_narrow_partials,
                      narrow_partials(Format::bf16)));
  list.push_back(with("fp16 accumulate", "fp16 operands and accumulation", no_narrow_sum,
                      narrow_sums(Format::fp16)));
  list.push_back(with("bf16 accumulate", "bf16 operands and accumulation", no_narrow_sum,
                      narrow_sums(Format::bf16)));
}

void add_functions(std::vector<Hypothesis>& list) {
  Hypothesis exp = with("fast exp", "approximate exp (as __expf)", no_fast_math, {});
  exp.arithmetic.elementary.exp = fast_functions.exp;
  exp.arithmetic.elementary.exp_per_unit = fast_functions.exp_per_unit;
  exp.fast_exp = true;
  list.push_back(std::move(exp));
  Hypothesis tanh = with("fast tanh", "approximate tanh (as tanh.approx)", no_fast_math, {});
  tanh.arithmetic.elementary.tanh = fast_functions.tanh;
  tanh.fast_tanh = true;
  list.push_back(std::move(tanh));
  Hypothesis gelu = with("other gelu", "the other GELU formula (erf for tanh, or tanh for erf)",
                         "use one formula on both sides: jax.nn.gelu(approximate=...), "
                         "torch.nn.GELU(approximate=...)",
                         {});
  gelu.other_gelu = true;
  list.push_back(std::move(gelu));
}

std::vector<Hypothesis> all() {
  std::vector<Hypothesis> list;
  list.push_back(with("fp32", "fp32, any order of summation",
                      "none needed: compare with a tolerance above the bound", {}));
  list.push_back(with("ftz", "subnormals flushed to zero",
                      "flush on both sides or on none: no -ftz=true or --use_fast_math (nvcc), no "
                      "-ffast-math when linking, MXCSR left alone",
                      {}));
  list.back().arithmetic.flushes_subnormals = true;
  add_splits(list);
  add_tf32(list);
  add_halves(list);
  add_kept(list);
  add_narrow_sums(list);
  add_functions(list);
  return list;
}

}  // namespace

std::span<const Hypothesis> hypotheses() {
  static const std::vector<Hypothesis> list = all();
  return list;
}

}  // namespace ulpfuzz::diagnosis
