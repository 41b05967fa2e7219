#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ulpfuzz/diagnosis/hypothesis.hpp"
#include "ulpfuzz/subjects/emulated.hpp"

namespace ulpfuzz::diagnosis {

/// A hypothesis down to what its words leave open: into how many parts split-K cuts.
struct Variant {
  std::size_t hypothesis = 0;
  Arithmetic arithmetic;
};

/// Hypotheses whose predictions differ by no more than the order of summation does: one of them,
/// the first, stands for all until bits are compared.
struct Family {
  std::vector<std::size_t> variants;
  bool sensitive = false;  ///< orders of summation differ by more than fp32 roundings
  bool whole = false;      ///< no matter of single layers
};

/// Orders of summation that are tried. The first is the most accurate one.
std::span<const Summation> orders();
std::string describe(const Summation& summation);

std::span<const Variant> variants();
std::span<const Family> families();

/// A variant in an order, everywhere, parameters rounded as it says; variant 0 is plain fp32.
/// Thread-safe.
const Subject& emulated(std::size_t variant, std::size_t order);
/// Whether orders of summation differ by more than fp32 roundings.
bool depends_on_order(const Arithmetic& arithmetic);
std::vector<Tensor> rounded(std::span<const Tensor> parameters, Format format);

}  // namespace ulpfuzz::diagnosis
