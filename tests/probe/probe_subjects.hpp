#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "ulpfuzz/probe/probe.hpp"
#include "ulpfuzz/subjects/emulated.hpp"
#include "ulpfuzz/subjects/kernel_subject.hpp"

namespace ulpfuzz::probe {

/// An emulation that says `claim` of itself.
class Claiming final : public Subject {
 public:
  Claiming(const Emulation& emulation, const Arithmetic& claim)
      : subject_("claiming", emulation), claim_(claim) {}
  std::string_view name() const override { return "claiming"; }
  Arithmetic arithmetic() const override { return claim_; }
  void evaluate(const Evaluation& evaluation) const override { subject_.evaluate(evaluation); }

 private:
  Emulated subject_;
  Arithmetic claim_;
};

/// Plain loops but for the linear layer.
class WithLinear final : public KernelSubject {
 public:
  using Linear = std::function<void(const float* x, const float* weight, const float* bias,
                                    std::size_t rows, std::size_t k, std::size_t n, float* y)>;
  explicit WithLinear(Linear linear) : linear_(std::move(linear)) {}
  std::string_view name() const override { return "with_linear"; }

 protected:
  void linear(const float* x, const float* weight, const float* bias, std::size_t rows,
              std::size_t k, std::size_t n, float* y) const override {
    linear_(x, weight, bias, rows, k, n, y);
  }

 private:
  Linear linear_;
};

inline Emulation with_order(Summation::Order order, std::uint32_t lanes = 8, bool fused = false,
                            bool bias_first = false) {
  Emulation e;
  e.summation = {order, lanes, fused, bias_first};
  return e;
}

inline Emulation with(const Arithmetic& arithmetic) {
  Emulation e;
  e.arithmetic.everywhere = arithmetic;
  return e;
}

inline Finding finding_of(const Report& report, const std::string& what) {
  for (const Finding& f : report.findings)
    if (f.what == what) return f;
  throw std::runtime_error("no finding " + what);
}

}  // namespace ulpfuzz::probe
