#include "vector_math.hpp"

#include <immintrin.h>

extern "C" {
[[gnu::target("avx2")]] __m256 _ZGVdN8v_expf(__m256);
[[gnu::target("avx2")]] __m256 _ZGVdN8v_expm1f(__m256);
[[gnu::target("avx2")]] __m256 _ZGVdN8v_log1pf(__m256);
[[gnu::target("avx2")]] __m256 _ZGVdN8v_tanhf(__m256);
[[gnu::target("avx2")]] __m256 _ZGVdN8v_erff(__m256);
}

namespace ulpfuzz {
namespace {

using kernels::Function;

template <Function F>
[[gnu::target("avx2")]] __m256 eight(__m256 x) {
  if constexpr (F == Function::exp) return _ZGVdN8v_expf(x);
  if constexpr (F == Function::expm1) return _ZGVdN8v_expm1f(x);
  if constexpr (F == Function::log1p) return _ZGVdN8v_log1pf(x);
  if constexpr (F == Function::tanh) return _ZGVdN8v_tanhf(x);
  if constexpr (F == Function::erf) return _ZGVdN8v_erff(x);
  return x;
}

// Returns how many elements are done.
template <Function F>
[[gnu::target("avx2")]] std::size_t whole_vectors(const float* from, std::size_t count, float* to) {
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) _mm256_storeu_ps(to + i, eight<F>(_mm256_loadu_ps(from + i)));
  return i;
}

}  // namespace

bool vector_math_available() {
  static const bool available = __builtin_cpu_supports("avx2");
  return available;
}

template <Function F>
void VectorMath::apply(const float* from, std::size_t count, float* to) {
  std::size_t i = vector_math_available() ? whole_vectors<F>(from, count, to) : 0;
  for (; i < count; ++i) to[i] = kernels::elementary<F>(from[i]);
}

template void VectorMath::apply<Function::exp>(const float*, std::size_t, float*);
template void VectorMath::apply<Function::expm1>(const float*, std::size_t, float*);
template void VectorMath::apply<Function::log1p>(const float*, std::size_t, float*);
template void VectorMath::apply<Function::tanh>(const float*, std::size_t, float*);
template void VectorMath::apply<Function::erf>(const float*, std::size_t, float*);

}  // namespace ulpfuzz
