#pragma once

#include <string>
#include <vector>

#include "dialect.hpp"

namespace ulpfuzz::repro {

/// A product as the bodies of kernels have it: sizes, and the elements of term q.
struct Terms {
  std::string m, n, k, a, b;
};
Terms terms_of(const KernelId& id);

/// The body of a product's kernel whose `lines` define sum, of one element. `value` is what is
/// written, with BIAS for "+ bias[j]".
std::vector<std::string> product_body(const KernelId& id, const std::vector<std::string>& lines,
                                      const std::string& value);

/// Sums in the order of simt/cublas-fp32.
void adapt_order(Kernel& kernel, const KernelId& id, const Uses& uses);

}  // namespace ulpfuzz::repro
