#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ulpfuzz {

/// A row-major matrix of floats: parameters, and data whose rows are batch rows.
struct Tensor {
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  std::vector<float> data;

  Tensor() = default;
  Tensor(std::uint32_t r, std::uint32_t c) : rows(r), cols(c), data(std::size_t{r} * c) {}
  Tensor(std::uint32_t r, std::uint32_t c, std::vector<float> values)
      : rows(r), cols(c), data(std::move(values)) {}

  std::span<float> row(std::size_t r) { return {data.data() + r * cols, cols}; }
  std::span<const float> row(std::size_t r) const { return {data.data() + r * cols, cols}; }
};

/// Same shape and same bits (so that NaN equals itself and -0 differs from +0).
bool identical(const Tensor& a, const Tensor& b);

}  // namespace ulpfuzz
