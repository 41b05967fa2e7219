#include "ulpfuzz/core/named_arithmetics.hpp"

#include <array>

namespace ulpfuzz {
namespace {

Arithmetic on_a_unit(Format operand, MatmulUnit unit) {
  Arithmetic a;
  a.operand = operand;
  a.unit = unit;
  a.mixed = true;
  return a;
}

// cuBLAS and XLA round to nearest, ties away from zero (cvt.rna.tf32).
Arithmetic tf32(Rounding conversion) {
  Arithmetic a = on_a_unit(Format::tf32, matmul_units::ampere_tf32);
  a.conversion = conversion;
  return a;
}

Arithmetic half(Format format) { return on_a_unit(format, matmul_units::ampere_half); }

/// Every result is kept in the format, as in a model that was cast to it.
Arithmetic kept(Format format) {
  Arithmetic a = half(format);
  a.keep = a.store = format;
  return a;
}

Arithmetic fp16_sums() {
  Arithmetic a;
  a.operand = a.accumulate = Format::fp16;
  a.mixed = true;
  return a;
}

Arithmetic split(Split pieces, MatmulUnit unit) {
  Arithmetic a = on_a_unit(Format::fp32, unit);
  a.split = pieces;
  return a;
}

constexpr Arithmetic flushing = [] {
  Arithmetic a;
  a.flushes_subnormals = true;
  return a;
}();

constexpr Arithmetic accurate = [] {
  Arithmetic a;
  a.formulas = Formulas::accurate;
  return a;
}();

constexpr Arithmetic fast = [] {
  Arithmetic a;
  a.flushes_subnormals = true;
  a.elementary = fast_functions;
  return a;
}();

constexpr Arithmetic wide = [] {
  Arithmetic a;
  a.accumulate = Format::fp64;
  return a;
}();

}  // namespace

std::span<const NamedArithmetic> named_arithmetics() {
  using namespace matmul_units;
  static const std::array all{
      NamedArithmetic{"fp32", "plain fp32, sums in any order, with or without FMA", {}},
      NamedArithmetic{"fp32-ftz", "fp32 that flushes subnormals", flushing},
      NamedArithmetic{"fp32-accurate",
                      "fp32 with formulas that keep relative accuracy (expm1, not exp - 1)",
                      accurate},
      NamedArithmetic{"fp32-fast", "fp32 with CUDA's approximate functions (--use_fast_math)",
                      fast},
      NamedArithmetic{"fp64", "fp64, results stored in fp32", wide},
      NamedArithmetic{"tf32", "products of TF32 operands (to nearest, ties away), or plain fp32",
                      tf32(Rounding::nearest_away)},
      NamedArithmetic{"tf32-rz", "products of operands cut to TF32, or plain fp32",
                      tf32(Rounding::toward_zero)},
      NamedArithmetic{"bf16", "products of bf16 operands summed in fp32, or plain fp32",
                      half(Format::bf16)},
      NamedArithmetic{"bf16-kept", "the same, and every result is rounded to bf16",
                      kept(Format::bf16)},
      NamedArithmetic{"fp16", "products of fp16 operands summed in fp32, or plain fp32",
                      half(Format::fp16)},
      NamedArithmetic{"fp16-kept", "the same, and every result is rounded to fp16",
                      kept(Format::fp16)},
      NamedArithmetic{"fp16-sums", "products of fp16 operands summed in fp16, or plain fp32",
                      fp16_sums()},
      NamedArithmetic{"bf16x3", "fp32 products of three bf16 products, or plain fp32",
                      split(Split::bf16x3, ampere_half)},
      NamedArithmetic{"bf16x6", "fp32 products of six bf16 products, or plain fp32",
                      split(Split::bf16x6, ampere_half)},
      NamedArithmetic{"bf16x9", "fp32 products of nine bf16 products, or plain fp32",
                      split(Split::bf16x9, ampere_half)},
      NamedArithmetic{"tf32x3", "fp32 products of three TF32 products, or plain fp32",
                      split(Split::tf32x3, ampere_tf32)},
  };
  return all;
}

std::optional<Arithmetic> arithmetic_from(std::string_view name) {
  for (const NamedArithmetic& named : named_arithmetics())
    if (named.name == name) return named.arithmetic;
  return std::nullopt;
}

std::string arithmetic_names() {
  std::string names;
  for (const NamedArithmetic& named : named_arithmetics())
    names.append(names.empty() ? "" : ", ").append(named.name);
  return names;
}

}  // namespace ulpfuzz
