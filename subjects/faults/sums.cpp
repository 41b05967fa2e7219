#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "faults.hpp"
#include "ulpfuzz/core/format.hpp"
#include "ulpfuzz/core/fp_environment.hpp"

namespace ulpfuzz::faults {
namespace {

/// A linear layer whose elements are computed one by one.
class ElementWise : public Fault {
 public:
  using Fault::Fault;

 protected:
  virtual float dot(const float* x, const float* w, std::size_t k, std::size_t rows) const = 0;
  virtual float with_bias(float sum, float bias, std::size_t) const { return sum + bias; }

  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t j = 0; j < n; ++j) {
        const float sum = dot(x + r * k, weight + j * k, k, rows);
        y[r * n + j] = bias == nullptr ? sum : with_bias(sum, bias[j], rows);
      }
    }
  }

  static float left_to_right(const float* x, const float* w, std::size_t k) {
    float sum = 0;
    for (std::size_t i = 0; i < k; ++i) sum += x[i] * w[i];
    return sum;
  }
};

class LanesAboveOne final : public ElementWise {
 public:
  LanesAboveOne()
      : ElementWise("fault/lanes_above_1",
                    "several rows are added up in four lanes, a single one from left to right") {}

 protected:
  float dot(const float* x, const float* w, std::size_t k, std::size_t rows) const override {
    if (rows < 2) return left_to_right(x, w, k);
    float lane[4] = {};
    for (std::size_t i = 0; i < k; ++i) lane[i % 4] += x[i] * w[i];
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
  }
};

class DroppedTail final : public ElementWise {
 public:
  DroppedTail()
      : ElementWise("fault/dropped_tail",
                    "dot products of 3, 7, 11, ... terms end one term early") {}

 protected:
  float dot(const float* x, const float* w, std::size_t k, std::size_t) const override {
    return left_to_right(x, w, k % 4 == 3 ? k - 1 : k);
  }
};

/// As a kernel that peels elements until it reads from an aligned address.
class OrderByAddress final : public ElementWise {
 public:
  OrderByAddress()
      : ElementWise("fault/order_by_address",
                    "a dot product is added up from its end where its rows begin at an address "
                    "that is no multiple of 16 bytes") {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    reversed_ = reinterpret_cast<std::uintptr_t>(x) % 16 != 0;
    ElementWise::linear(x, weight, bias, rows, k, n, y);
  }
  float dot(const float* x, const float* w, std::size_t k, std::size_t) const override {
    if (!reversed_) return left_to_right(x, w, k);
    float sum = 0;
    for (std::size_t i = k; i > 0; --i) sum += x[i - 1] * w[i - 1];
    return sum;
  }

 private:
  inline static thread_local bool reversed_ = false;
};

/// The order of adding is that of arrival: each call's another one, by a counter.
class RacingAtomics final : public ElementWise {
 public:
  RacingAtomics()
      : ElementWise("fault/racing_atomics", "products are added in an order that changes") {}

 protected:
  void begin(const Evaluation&) const override { state_ = ++calls_; }
  float dot(const float* x, const float* w, std::size_t k, std::size_t) const override {
    thread_local std::vector<std::size_t> order;
    order.resize(k);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = k; i > 1; --i) std::swap(order[i - 1], order[next() % i]);
    float sum = 0;
    for (const std::size_t i : order) sum += x[i] * w[i];
    return sum;
  }

 private:
  /// splitmix64
  static std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  inline static std::atomic<std::uint64_t> calls_{0};
  inline static thread_local std::uint64_t state_ = 0;
};

class BiasAfterBf16 final : public ElementWise {
 public:
  BiasAfterBf16()
      : ElementWise("fault/bias_after_bf16",
                    "of several rows sums are rounded to bf16 before the bias is added") {}

 protected:
  float dot(const float* x, const float* w, std::size_t k, std::size_t) const override {
    return left_to_right(x, w, k);
  }
  float with_bias(float sum, float bias, std::size_t rows) const override {
    return (rows > 1 ? static_cast<float>(round_to(sum, Format::bf16)) : sum) + bias;
  }
};

class FlushesAboveOne final : public Fault {
 public:
  FlushesAboveOne()
      : Fault("fault/flushes_above_1", "of several rows linear layers flush subnormals") {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    if (rows > 1) FpEnvironment{.ftz = true, .daz = true}.apply();
    Fault::linear(x, weight, bias, rows, k, n, y);
    FpEnvironment{}.apply();
  }
};

/// Nothing is written where there is nothing to add up: y keeps what another call left there.
class StaleWithoutTerms final : public Fault {
 public:
  StaleWithoutTerms()
      : Fault("fault/stale_without_terms", "a dot product of no terms comes out as one") {}

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    if (k > 0) return Fault::linear(x, weight, bias, rows, k, n, y);
    std::fill_n(y, rows * n, 1.0f);
  }
};

/// As an unrolled kernel for sizes that suit it. Numbers of one sign lose a little each time; of
/// both signs, as random ones are, the losses cancel.
class CutsPartialSums final : public ElementWise {
 public:
  CutsPartialSums()
      : ElementWise("fault/cuts_partial_sums",
                    "dot products of 96, 128, ... terms cut partial sums off instead of rounding") {
  }

 protected:
  float dot(const float* x, const float* w, std::size_t k, std::size_t) const override {
    if (k < 96 || k % 32 != 0) return left_to_right(x, w, k);
    float sum = 0;
    for (std::size_t i = 0; i < k; ++i) sum = toward_zero(double{sum} + double{x[i] * w[i]});
    return sum;
  }

 private:
  static float toward_zero(double x) {
    const auto nearest = static_cast<float>(x);
    const bool beyond = std::isfinite(nearest) && std::fabs(double{nearest}) > std::fabs(x);
    return beyond ? std::nextafterf(nearest, 0.0f) : nearest;
  }
};

}  // namespace

void add_sum_faults(Subjects& list) {
  list.push_back(std::make_unique<LanesAboveOne>());
  list.push_back(std::make_unique<DroppedTail>());
  list.push_back(std::make_unique<OrderByAddress>());
  list.push_back(std::make_unique<RacingAtomics>());
  list.push_back(std::make_unique<BiasAfterBf16>());
  list.push_back(std::make_unique<FlushesAboveOne>());
  list.push_back(std::make_unique<StaleWithoutTerms>());
  list.push_back(std::make_unique<CutsPartialSums>());
}

}  // namespace ulpfuzz::faults
