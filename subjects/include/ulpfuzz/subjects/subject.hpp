#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ulpfuzz/core/arithmetic.hpp"
#include "ulpfuzz/core/fp_environment.hpp"
#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz {

/// One call of a subject. Buffers are dense and row-major: inputs[i] and outputs[i] hold
/// network.entries(node, batch) entries of node.shape.size() floats. Outputs are to be written, not
/// added to; they come filled with a NaN pattern that tells unwritten elements.
struct Evaluation {
  const Network& network;
  std::span<const Tensor> parameters;
  std::size_t batch = 0;
  std::span<const float* const> inputs;
  std::span<float* const> outputs;
};

/// An evaluator on trial.
class Subject {
 public:
  virtual ~Subject() = default;

  virtual std::string_view name() const = 0;
  /// One line for `ulpfuzz list`.
  virtual std::string description() const { return {}; }
  /// What it claims to compute with; its results are judged by this.
  virtual Arithmetic arithmetic() const { return {}; }
  /// Why it cannot run on this machine ("no CUDA device"); nothing if it can.
  virtual std::optional<std::string> unavailable() const { return std::nullopt; }
  /// Why it does not evaluate this network; nothing if it does. Derivative networks are asked too.
  virtual std::optional<std::string> unsupported(const Network&) const { return std::nullopt; }
  /// Same call, same bits? After a failure the calls are repeated: other bits are then the fault
  /// (FailureClass::nondeterministic); of a subject that says no, only if the failing element
  /// differs from itself by more than its bound.
  virtual bool deterministic() const { return true; }
  /// Library version and configuration, for reports: "OpenBLAS 0.3.21 Haswell".
  virtual std::string environment() const { return {}; }

  /// May throw: an exception is a finding.
  virtual void evaluate(const Evaluation& evaluation) const = 0;

  /// How many evaluations it likes to be given at once; above 1 for subjects that keep a device
  /// busy that way.
  virtual std::size_t group() const { return 1; }
  /// Several evaluations, with the results of one at a time.
  virtual void evaluate_each(std::span<const Evaluation> evaluations) const {
    for (const Evaluation& evaluation : evaluations) evaluate(evaluation);
  }
  /// Has it become unusable in this process (a sticky CUDA error)? A campaign then goes on in a
  /// fresh one.
  virtual bool broken() const { return false; }
};

/// What a guarded call found wrong with the subject itself rather than with its numbers.
class SubjectFault : public std::runtime_error {
 public:
  SubjectFault(FailureClass failure, const std::string& what)
      : std::runtime_error(what), failure_(failure) {}
  FailureClass failure() const { return failure_; }

 private:
  FailureClass failure_;
};

/// The bits that unwritten output elements keep.
inline constexpr std::uint32_t unwritten_bits = 0x7fc5a5a5u;

/// Output buffers of one guarded call, valid until the next `run` on the same object.
struct Outputs {
  std::span<const std::span<const float>> values;  ///< one a network output
};

/// What one of several calls at once differs in.
struct Call {
  std::size_t batch = 0;
  std::span<const float* const> inputs;  ///< one pointer an input node
};

/// Calls subjects as every caller in ulpfuzz must: default floating-point environment set before
/// and checked after (FailureClass::fp_environment), outputs filled with `unwritten_bits` and
/// surrounded by red zones (FailureClass::out_of_bounds), unwritten elements found
/// (FailureClass::unwritten), exceptions turned into SubjectFault (FailureClass::exception). Keeps
/// its buffers between calls.
class Caller {
 public:
  Caller();
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  /// `inputs`: one pointer an input node. `offset`: floats from a 64-byte boundary at which each
  /// output buffer begins.
  Outputs run(const Subject& subject, const Network& network, std::span<const Tensor> parameters,
              std::size_t batch, std::span<const float* const> inputs, unsigned offset = 0);
  /// Several calls at once: Subject::evaluate_each.
  std::span<const Outputs> run_each(const Subject& subject, const Network& network,
                                    std::span<const Tensor> parameters, std::span<const Call> calls,
                                    unsigned offset = 0);

  /// Seconds spent inside subjects since construction.
  double seconds() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ulpfuzz
