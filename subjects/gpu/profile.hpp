#pragma once

#include <string>
#include <string_view>

#include "session.hpp"
#include "ulpfuzz/core/arithmetic.hpp"

namespace ulpfuzz::gpu {

/// How a GPU subject computes: which kernels it takes for which shapes, as libraries choose.
class Profile {
 public:
  virtual ~Profile() = default;
  virtual std::string description() const = 0;
  /// What its results are judged by, on a device of this architecture (90: sm_90; 0: host).
  virtual Arithmetic arithmetic(int architecture) const = 0;
  /// Same call, same bits?
  virtual bool deterministic() const { return true; }

  /// Queues a product, epilogue included. Any size may be 0: an empty sum is +0, then the bias.
  virtual void multiply(Session& session, const kernels::Product& product) const = 0;
  /// Queues a sum over rows, with as many parts as it likes.
  virtual void sum(Session& session, kernels::ColumnSum sum) const { session.launch(sum); }
  /// Queues what is left of a row op to choose: the formula, the number of passes.
  virtual void softmax(Session& session, kernels::Softmax softmax) const {
    session.launch(softmax);
  }
  virtual void norm(Session& session, kernels::Norm norm) const { session.launch(norm); }
};

}  // namespace ulpfuzz::gpu
