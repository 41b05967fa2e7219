#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "gpu/blas_profile.hpp"
#include "support/blas_stand_in.hpp"

/// Random products in the memory of a stand-in.
namespace ulpfuzz::stand_in {

/// What a GPU subject gives its profile: a stand-in and its memory.
class TestSession final : public gpu::Session {
 public:
  explicit TestSession(std::shared_ptr<Control> control)
      : control_(std::move(control)), device_(control_), blas_(device_) {}
  ~TestSession() override {
    for (void* memory : owned_) device_.release(memory);
  }
  kernels::Device& device() override { return device_; }
  float* scratch(std::size_t floats) override {
    owned_.push_back(device_.allocate(floats * sizeof(float)));
    return static_cast<float*>(owned_.back());
  }
  kernels::Blas& blas() override { return other_blas != nullptr ? *other_blas : blas_; }

  kernels::Blas* other_blas = nullptr;

 private:
  std::shared_ptr<Control> control_;
  GpuStandIn device_;
  BlasStandIn blas_;
  std::vector<void*> owned_;
};

/// Numbers of few bits, so that products and their sums are exact in every mode.
inline float* draw_floats(TestSession& session, std::size_t count, std::mt19937& engine) {
  float* const x = session.scratch(count);
  for (std::size_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(static_cast<int>(engine() % 17) - 8) * 0.25f;
  return x;
}

/// Strides of a side of `rows` x `columns`.
struct Strides {
  std::size_t row, column, entry, repeat;
};

inline Strides draw_strides(std::size_t rows, std::size_t columns, std::mt19937& engine) {
  const auto below = [&](std::size_t n) { return engine() % n; };
  Strides s{};
  switch (below(5)) {
    case 0:  // rows, or columns, with gaps between them
      s = {columns + below(3), 1, 0, 1};
      break;
    case 1:
      s = {1, rows + below(3), 0, 1};
      break;
    case 2:  // broadcast along one
      s = {0, 1, 0, 1};
      break;
    case 3:
      s = {1, 0, 0, 1};
      break;
    default:  // gaps everywhere
      s = {2 * columns + 1, 2, 0, 1};
  }
  const std::size_t size = rows * s.row + columns * s.column + 1;
  if (below(3) != 0) s.entry = size;
  // Rows of one matrix after those of the other, as those of batches are.
  if (below(3) == 0 && s.column == 1) s.entry = rows * s.row;
  s.repeat = 1 + below(3);
  return s;
}

inline std::size_t floats_of(const Strides& s, std::size_t rows, std::size_t columns,
                             std::size_t entries) {
  return entries * s.entry + rows * s.row + columns * s.column + 1;
}

inline kernels::Product draw_product(TestSession& session, std::mt19937& engine) {
  const auto below = [&](std::size_t n) { return engine() % n; };
  kernels::Product p;
  p.m = below(4) == 0 ? 1 : below(7);
  p.n = below(4) == 0 ? 1 : below(7);
  p.k = below(4) == 0 ? 1 : below(19);
  p.entries = below(3) == 0 ? 1 : below(7);
  const Strides a = draw_strides(p.m, p.k, engine), b = draw_strides(p.k, p.n, engine);
  p.a = draw_floats(session, floats_of(a, p.m, p.k, p.entries), engine);
  p.a_row = a.row, p.a_step = a.column, p.a_entry = a.entry, p.a_repeat = a.repeat;
  p.b = draw_floats(session, floats_of(b, p.k, p.n, p.entries), engine);
  p.b_step = b.row, p.b_column = b.column, p.b_entry = b.entry, p.b_repeat = b.repeat;
  if (below(2) == 0) p.bias = draw_floats(session, p.n, engine);
  p.y = session.scratch(p.entries * p.m * p.n);
  p.phi = below(2) == 0 ? kernels::Phi::identity : kernels::Phi::relu;
  return p;
}

/// y of a product, as its comment says.
inline std::vector<float> naive_product(const kernels::Product& p) {
  std::vector<float> y;
  for (std::size_t e = 0; e < p.entries; ++e)
    for (std::size_t i = 0; i < p.m; ++i)
      for (std::size_t j = 0; j < p.n; ++j) {
        float sum = p.bias == nullptr ? 0.0f : p.bias[j];
        for (std::size_t q = 0; q < p.k; ++q)
          sum += p.a[e / p.a_repeat * p.a_entry + i * p.a_row + q * p.a_step] *
                 p.b[e / p.b_repeat * p.b_entry + q * p.b_step + j * p.b_column];
        y.push_back(p.phi == kernels::Phi::relu && !(sum > 0) ? 0.0f : sum);
      }
  return y;
}

}  // namespace ulpfuzz::stand_in
