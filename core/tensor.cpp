#include "ulpfuzz/core/tensor.hpp"

#include <cstring>

namespace ulpfuzz {

bool identical(const Tensor& a, const Tensor& b) {
  if (a.rows != b.rows || a.cols != b.cols || a.data.size() != b.data.size()) return false;
  return a.data.empty() ||
         std::memcmp(a.data.data(), b.data.data(), a.data.size() * sizeof(float)) == 0;
}

}  // namespace ulpfuzz
