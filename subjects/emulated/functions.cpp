#include "functions.hpp"

#include "../activation_dispatch.hpp"
#include "number.hpp"
#include "ulpfuzz/kernels/fast_functions.hpp"

namespace ulpfuzz::emulated {
namespace {

using kernels::Function;

template <Function F, class T>
T call(const Functions& f, T x) {
  if constexpr (F == Function::exp) {
    if (f.fast_exp) return settled<T>(kernels::fast_exp(static_cast<float>(x)));
  }
  if constexpr (F == Function::tanh) {
    if (f.fast_tanh) return settled<T>(kernels::fast_tanh(static_cast<float>(x)));
  }
  return kernels::elementary<F>(x);
}

template <class T, class Kernel>
void apply_all(const Functions& f, const Kernel& phi, const float* from, std::size_t count,
               float* y) {
  for (std::size_t i = 0; i < count; ++i) {
    const T x(from[i]);
    const T first = call<Kernel::first>(f, phi.first_argument(x));
    const T second = call<Kernel::second>(f, phi.second_argument(x, first));
    y[i] = static_cast<float>(phi.value(x, first, second));
  }
}

}  // namespace

void activation(const Functions& f, Op phi, float alpha, const float* x, std::size_t count,
                float* y) {
  with_number(f.accumulate, [&]<class T>() {
    with_activation(phi, alpha, [&](const auto& kernel) { apply_all<T>(f, kernel, x, count, y); });
  });
}

void derivative(const Functions& f, Op phi, float alpha, const float* x, std::size_t count,
                float* y) {
  with_number(f.accumulate, [&]<class T>() {
    with_derivative(phi, alpha, [&](const auto& kernel) { apply_all<T>(f, kernel, x, count, y); });
  });
}

void add(Format accumulate, const float* a, const float* b, std::size_t count, float* y) {
  with_number(accumulate, [&]<class T>() {
    for (std::size_t i = 0; i < count; ++i) y[i] = static_cast<float>(T(a[i]) + T(b[i]));
  });
}

void multiply(Format accumulate, const float* a, const float* b, std::size_t count, float* y) {
  with_number(accumulate, [&]<class T>() {
    for (std::size_t i = 0; i < count; ++i) y[i] = static_cast<float>(T(a[i]) * T(b[i]));
  });
}

}  // namespace ulpfuzz::emulated
