#pragma once

#include <vector>

#include "soundness/sums.hpp"
#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz::bench {

/// Sums of products in the order of a style and in the arithmetic of a node.
template <class N>
class Dots {
 public:
  explicit Dots(const Style& style) : style_(style), summer_(style) {}

  /// Terms are destroyed.
  N sum(std::vector<N>& terms);
  /// By a matmul: operands are converted, cut and multiplied as `how` says. bias may be null.
  N matmul(const std::vector<N>& a, const std::vector<N>& b, const N* bias, const Arithmetic& how);

  /// Most roundings between a product (or term) and its sum so far.
  std::size_t depth() const { return depth_; }

 private:
  N by_fma(const N* a, const N* b, std::size_t n, const N* start);
  N plain(const N* a, const N* b, std::size_t n, const N* start);
  N by_unit(const N* a, const N* b, std::size_t n, const N* start, const MatmulUnit& unit);
  N kernel(const N* a, const N* b, std::size_t n, const N* start, const MatmulUnit& unit);
  N in_parts(const N* start, const Arithmetic& how);
  void convert(const std::vector<N>& from, std::vector<N>& to, const Arithmetic& how);
  void cut_up(const std::vector<N>& a, const std::vector<N>& b, const Arithmetic& how);
  void deepen(std::size_t roundings) { depth_ = depth_ < roundings ? roundings : depth_; }

  Style style_;
  Summer<N> summer_;
  std::size_t depth_ = 0;
  std::vector<N> a_, b_, terms_, sums_;
};

/// Exact products and an accumulator, aligned to the largest of their exponents, each cut to
/// `fraction` bits of it, added, and the sum cut to fp32.
float add_block(const double* products, const int* exponents, std::size_t n, float accumulator,
                int fraction);

extern template class Dots<float>;
extern template class Dots<double>;
extern template class Dots<long double>;
extern template class Dots<Narrow>;

}  // namespace ulpfuzz::bench
