#pragma once

#include <cstddef>

#include "ulpfuzz/kernels/row_phases.hpp"

namespace ulpfuzz::kernels {

/// RowPhases with the threads of a phase taking turns element by element, so that compilers
/// vectorise along a row, and with what the threads of a row do alike done once.
template <unsigned Lanes, class Program>
class RowPhases<Lanes, HostBlock<Program>> {
 public:
  using Floats = typename HostBlock<Program>::template Registers<float>;

  RowPhases(HostBlock<Program>& block, std::size_t rows, std::size_t n)
      : first_row_(block.index() * RowTeam<Lanes>::rows_at_once),
        rows_(rows - first_row_ < at_once ? static_cast<unsigned>(rows - first_row_) : at_once),
        n_(n) {}

  template <class F>
  void each_element(const F& f) {
    for (unsigned row = 0; row < rows_; ++row) {
      const std::size_t first = (first_row_ + row) * n_;
      for (std::size_t from = 0; from < n_; from += Lanes) {
        const unsigned count = n_ - from < Lanes ? static_cast<unsigned>(n_ - from) : Lanes;
        for (unsigned t = 0; t < count; ++t) f(row * Lanes + t, first + from + t);
      }
    }
  }

  template <class F>
  Floats uniform(const F& f) {
    Floats y;
    for (unsigned row = 0; row < rows_; ++row) spread(y, row, f(row * Lanes));
    return y;
  }

  template <unsigned K, class Add, class Combine>
  void fold(Floats (&r)[K], const float (&start)[K], const Add& add, const Combine& combine) {
    for (unsigned k = 0; k < K; ++k)
      for (unsigned t = 0; t < rows_ * Lanes; ++t) r[k][t] = start[k];
    each_element([&](unsigned t, std::size_t i) {
      float own[K];
      for (unsigned k = 0; k < K; ++k) own[k] = r[k][t];
      add(own, t, i);
      for (unsigned k = 0; k < K; ++k) r[k][t] = own[k];
    });
    for (unsigned row = 0; row < rows_; ++row) combine_row(r, row * Lanes, combine);
  }

 private:
  static constexpr unsigned at_once = RowTeam<Lanes>::rows_at_once;

  /// What a butterfly gives its first thread, by halves.
  template <unsigned K, class Combine>
  static void combine_row(Floats (&r)[K], unsigned first, const Combine& combine) {
    constexpr unsigned width = Lanes < warp ? Lanes : warp;
    for (unsigned half = width / 2; half > 0; half /= 2)
      for (unsigned w = 0; w < Lanes; w += width)
        for (unsigned t = w; t < w + half; ++t) merge(r, first + t, first + t + half, combine);
    for (unsigned half = Lanes / 2; half >= width; half /= 2)
      for (unsigned t = 0; t < half; t += width) merge(r, first + t, first + t + half, combine);
    for (unsigned k = 0; k < K; ++k) spread(r[k], first / Lanes, r[k][first]);
  }
  template <unsigned K, class Combine>
  static void merge(Floats (&r)[K], unsigned t, unsigned other, const Combine& combine) {
    float own[K], theirs[K];
    for (unsigned k = 0; k < K; ++k) {
      own[k] = r[k][t];
      theirs[k] = r[k][other];
    }
    combine(own, theirs);
    for (unsigned k = 0; k < K; ++k) r[k][t] = own[k];
  }
  static void spread(Floats& r, unsigned row, float value) {
    for (unsigned t = 0; t < Lanes; ++t) r[row * Lanes + t] = value;
  }

  std::size_t first_row_;
  unsigned rows_;
  std::size_t n_;
};

}  // namespace ulpfuzz::kernels
