#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz::shrinking {

/// A tensor of a case, found again in its copies.
struct TensorPlace {
  std::vector<Tensor> Case::*list = nullptr;  ///< the cotangents if null
  std::size_t index = 0;
  std::string name;  ///< "input 0", "parameter 1", "cotangents"

  Tensor& in(Case& c) const { return list == nullptr ? c.cotangents : (c.*list)[index]; }
  const Tensor& in(const Case& c) const {
    return list == nullptr ? c.cotangents : (c.*list)[index];
  }
};

/// Those that hold numbers: inputs, parameters, cotangents.
std::vector<TensorPlace> tensors(const Case& c);

struct Number {
  TensorPlace tensor;
  std::size_t element = 0;
  std::string name;  ///< "input 0[2][1]"

  float& in(Case& c) const { return tensor.in(c).data[element]; }
  float in(const Case& c) const { return tensor.in(c).data[element]; }
};

std::vector<Number> numbers(const Case& c);

}  // namespace ulpfuzz::shrinking
