#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/subjects/kernel_subject.hpp"

namespace ulpfuzz::faults {

/// Plain loops with a name: what each fault changes one thing of.
class Fault : public KernelSubject {
 public:
  Fault(std::string_view name, std::string_view description)
      : name_(name), description_(description) {}
  std::string_view name() const override { return name_; }
  std::string description() const override { return description_; }

 private:
  std::string name_;
  std::string description_;
};

/// Evaluates correctly, with a deed before and one after: faults of conduct, or of whole outputs,
/// rather than of one kernel.
class Aftermath : public Subject {
 public:
  using Deed = void (*)(const Evaluation&);
  Aftermath(std::string_view name, std::string_view description, Deed before, Deed after)
      : loops_(name, description), before_(before), after_(after) {}
  std::string_view name() const override { return loops_.name(); }
  std::string description() const override { return loops_.description(); }
  void evaluate(const Evaluation& evaluation) const override {
    before_(evaluation);
    loops_.evaluate(evaluation);
    after_(evaluation);
  }

 private:
  Fault loops_;
  Deed before_;
  Deed after_;
};

using Subjects = std::vector<std::unique_ptr<const Subject>>;
void add_linear_faults(Subjects& list);    ///< wrong numbers from the linear layer
void add_sum_faults(Subjects& list);       ///< wrong orders, roundings and tails of sums
void add_row_faults(Subjects& list);       ///< rows taken for each other, or forgotten
void add_gradient_faults(Subjects& list);  ///< wrong batch-summed gradients
void add_function_faults(Subjects& list);  ///< wrong numbers from activations and gradients
void add_conduct_faults(Subjects& list);   ///< memory, environment, exceptions, crashes

/// Has the batch more than one row, or does the network compute many gradients at once?
inline bool is_vectorized(const Evaluation& e) { return e.batch > 1 || e.network.repeat() > 1; }

}  // namespace ulpfuzz::faults
