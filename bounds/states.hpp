#pragma once

#include <limits>

#include "model.hpp"
#include "value.hpp"

namespace ulpfuzz::bounds {

/// What is known of one element that something reads.
struct Operand {
  State state = State::finite;
  double value = 0;
  double error = 0;

  static Operand of(const Value& v, std::size_t i) {
    return {v.state_of(i), v.value[i], v.error[i]};
  }
  bool nonzero(double least) const {
    return std::abs(value) > error && std::abs(value) - error >= least;
  }
};

/// The class of a sum whose terms come in any order: only what holds for every order, formula and
/// treatment of zeros is called known (docs/bounds.md, "Infinities and overflow").
class ClassOfSum {
 public:
  explicit ClassOfSum(const Model& m) : ClassOfSum(m, m.omega) {}
  /// Sums that stay below `omega` cannot overflow.
  ClassOfSum(const Model& m, double omega) : model_(m), omega_(omega) {}

  void add(const Operand& a);
  void add_product(const Operand& a, const Operand& b, bool converted);

  /// State of the sum; where its class is known, `value` becomes it and the error arrays 0.
  State finish(double& value, double& error, double& variance, double& local) const;

 private:
  void add_finite(double term, double error);
  void add_infinity(bool negative) { (negative ? minus_ : plus_) = true; }

  const Model& model_;
  double omega_;
  bool nan_ = false, unknown_ = false, plus_ = false, minus_ = false;
  double positive_ = 0, negative_ = 0;
};

/// States of elements that one operation makes of finite operands, where `value` or `error` is not
/// safely below `omega`; from `overflow` on it is certainly infinite.
State state_of_result(double& value, double& error, double& variance, double& local, double omega,
                      double overflow);

}  // namespace ulpfuzz::bounds
