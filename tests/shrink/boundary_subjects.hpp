#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/shrink/boundary.hpp"
#include "ulpfuzz/subjects/kernel_subject.hpp"

/// Subjects with one fault each, and cases for them.
namespace ulpfuzz::turning {

struct LinearCall {
  const float* x;
  const float* weight;
  const float* bias;
  std::size_t rows, k, n;
  float* y;
};

/// Plain loops whose linear layers are changed afterwards.
class Altered final : public KernelSubject {
 public:
  using Change = std::function<void(const LinearCall&)>;
  explicit Altered(Change change) : change_(std::move(change)) {}
  std::string_view name() const override { return "altered"; }

  /// Floats from a 64-byte boundary at which the output of the call lies.
  unsigned offset() const { return offset_; }

 protected:
  void begin(const Evaluation& e) const override {
    offset_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(e.outputs[0]) % 64 / 4);
  }
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    KernelSubject::linear(x, weight, bias, rows, k, n, y);
    change_({x, weight, bias, rows, k, n, y});
  }

 private:
  Change change_;
  mutable unsigned offset_ = 0;
};

/// Outputs off by a thousandth where a condition on the call holds.
inline Altered off_where(std::function<bool(const LinearCall&)> wrong) {
  return Altered([wrong = std::move(wrong)](const LinearCall& c) {
    if (!wrong(c)) return;
    for (std::size_t i = 0; i < c.rows * c.n; ++i) c.y[i] = c.y[i] * 1.001f + 0x1p-10f;
  });
}

/// Row `b` of a call gets what `instead(b, rows)` should get.
inline Altered misplaced(std::function<std::size_t(std::size_t, std::size_t)> instead) {
  return Altered([instead = std::move(instead)](const LinearCall& c) {
    const std::vector<float> right(c.y, c.y + c.rows * c.n);
    for (std::size_t b = 0; b < c.rows; ++b)
      std::copy_n(right.data() + instead(b, c.rows) * c.n, c.n, c.y + b * c.n);
  });
}

inline Tensor uniform(std::uint32_t rows, std::uint32_t cols, std::mt19937& engine) {
  std::uniform_real_distribution<float> draw(0.5f, 2.0f);
  Tensor t(rows, cols);
  for (float& v : t.data) v = draw(engine);
  return t;
}

/// linear(k -> n), the first row alone against the batch.
inline Case linear_case(std::uint32_t batch, std::uint32_t k, std::uint32_t n, bool bias = false) {
  std::mt19937 engine(5);
  Case c;
  const NodeId x = c.network.input(k);
  const NodeId w = c.network.parameter(n, k);
  c.inputs.push_back(uniform(batch, k, engine));
  c.parameters.push_back(uniform(n, k, engine));
  if (bias) {
    c.network.output(c.network.linear(x, w, c.network.parameter(1, n)));
    c.parameters.push_back(uniform(1, n, engine));
  } else {
    c.network.output(c.network.linear(x, w));
  }
  c.split = {{{0}, 0}};
  return c;
}

/// Judges by batched_vs_sliced, and counts how often it was asked.
class Court {
 public:
  explicit Court(const Subject& subject) : subject_(subject) {}
  Judge judge() {
    return [this](const Case& c) {
      ++asked;
      return properties::batched_vs_sliced.check(c, subject_, {}, context_);
    };
  }
  Shrunk failing(const Case& c) { return {c, judge()(c)}; }

  std::uint64_t asked = 0;

 private:
  const Subject& subject_;
  CheckContext context_;
};

inline std::vector<Boundary> found_in(const Subject& subject, const Case& c) {
  Court court(subject);
  const Shrunk failing = court.failing(c);
  EXPECT_TRUE(failing.verdict.failed());
  return boundaries(failing, court.judge(), subject);
}

/// The first whose name has `what` in it.
inline std::optional<Boundary> of(const std::vector<Boundary>& all, const std::string& what) {
  for (const Boundary& b : all)
    if (b.what.find(what) != std::string::npos) return b;
  return std::nullopt;
}

}  // namespace ulpfuzz::turning
