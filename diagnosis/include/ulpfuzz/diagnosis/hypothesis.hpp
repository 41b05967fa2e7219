#pragma once

#include <span>
#include <string>

#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz::diagnosis {

/// A class of arithmetic that one path may have used in some or all layers.
struct Hypothesis {
  std::string name;  ///< "tf32 rna ada": what `explain` and bench/naming print
  std::string
      words;  ///< "TF32, inputs rounded to nearest away, tensor-core accumulation (Ada model)"
  std::string remedy;
  Arithmetic arithmetic;
  Format parameters = Format::fp32;  ///< what biases and other parameters are rounded to first
  bool fast_exp = false;
  bool fast_tanh = false;
  bool other_gelu = false;  ///< the erf form for the tanh form, and the other way round
};

/// All numeric hypotheses, strongest claim first: fp32 in any order, then ever coarser ones.
std::span<const Hypothesis> hypotheses();

}  // namespace ulpfuzz::diagnosis
