#pragma once

#include "ulpfuzz/subjects/registry.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {

/// A subject judged as if it claimed another arithmetic; everything else is the subject's own, its
/// name too. `subject` must outlive it.
class Claiming final : public Subject {
 public:
  Claiming(const Subject& subject, const Arithmetic& arithmetic)
      : subject_(subject), arithmetic_(arithmetic) {}

  std::string_view name() const override { return subject_.name(); }
  std::string description() const override { return subject_.description(); }
  Arithmetic arithmetic() const override { return arithmetic_; }
  std::optional<std::string> unavailable() const override { return subject_.unavailable(); }
  std::optional<std::string> unsupported(const Network& network) const override {
    return subject_.unsupported(network);
  }
  bool deterministic() const override { return subject_.deterministic(); }
  std::string environment() const override { return subject_.environment(); }
  void evaluate(const Evaluation& evaluation) const override { subject_.evaluate(evaluation); }
  std::size_t group() const override { return subject_.group(); }
  void evaluate_each(std::span<const Evaluation> evaluations) const override {
    subject_.evaluate_each(evaluations);
  }
  bool broken() const override { return subject_.broken(); }

 private:
  const Subject& subject_;
  Arithmetic arithmetic_;
};

/// `arithmetic` with elementary functions no more accurate than `subject` claims: names of
/// arithmetics speak of formats and sums, and each library has functions of its own.
Arithmetic with_functions_of(const Subject& subject, Arithmetic arithmetic);

/// All of `subjects`, which must outlive it, claiming with_functions_of(each, arithmetic).
Registry claiming(const Registry& subjects, const Arithmetic& arithmetic);

}  // namespace ulpfuzz
