#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ulpfuzz/bounds/outer_product.hpp"
#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/layered_arithmetic.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::bounds {

/// What may be said of one element. `usable`: the bounds hold. `exact`: no rounding can happen, the
/// bound is 0. `nonfinite`: the reference is NaN or infinite; only the class can be compared.
/// `range`: some order may overflow on the way: infinity and finite within bound are both right.
/// `no_bound`: ill-conditioned (a norm whose variance is all error), or a bound that overflowed.
enum class Judgement : std::uint8_t { usable, exact, nonfinite, range, no_bound };

/// Bounds of one network output, element by element: [entries, shape.size()].
struct OutputBounds {
  std::span<const double> reference;  ///< exact result, up to fp64 rounding (fp64 evaluation)
  std::span<const double> sound;      ///< |any legal evaluation - reference| at most
  std::span<const double> sigma;      ///< standard deviation in the probabilistic model
  std::span<const double> local;      ///< part of `sound` that the last op makes: at most `sound`
  std::span<const Judgement> judgement;

  OutputBounds entry(std::size_t i, std::size_t size) const {
    const auto part = [&](auto all) { return all.subspan(i * size, size); };
    return {part(reference), part(sound), part(sigma), part(local), part(judgement)};
  }
};

/// Kink masks observed in an evaluation: for the node `operand` (see kink_operands), per element,
/// the value z that the subject computed. The analysis then takes phi' as the subject must have.
struct ObservedKinks {
  NodeId operand = 0;
  std::span<const float> values;
};

struct AnalysisOptions {
  /// Bounds every linear, matmul, add and mul node by the adjoint, not the last one alone, so that
  /// later kinks and slopes see small boxes (docs/bounds.md, "Matrix adjoint"), gradients included.
  /// Costs of the order of layers^2 width^3 a row, 2 to 20 plain runs: for deep networks.
  bool matrix_adjoint = false;
  /// Takes the operand conversions that the arithmetic states as done: the reference becomes exact
  /// arithmetic on converted operands, and bounds hold against evaluations that convert exactly so
  /// (docs/bounds.md, "Conditional bounds"). The pieces of splits are conversions, and so are
  /// `keep` and `store`; accumulation, functions and flushing remain errors. Of nodes whose
  /// arithmetic is mixed nobody knows whether they convert: they are bounded as without it.
  bool conditional = false;
};

/// Propagates reference values and error bounds through a network: forward networks and derivative
/// networks alike. Rows do not interact, so any subset of the batch may be analysed. Reuses its
/// memory from call to call; results are valid until the next call.
class Analysis {
 public:
  Analysis();
  ~Analysis();
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  /// Inputs as in Evaluation. `observed` may be empty.
  void run(const Network& network, std::span<const Tensor> parameters, std::size_t batch,
           std::span<const float* const> inputs, const LayeredArithmetic& arithmetic,
           std::span<const ObservedKinks> observed = {}, const AnalysisOptions& options = {});

  OutputBounds output(std::size_t index) const;
  /// Of one entry alone; valid until the next call of this function.
  OutputBounds entry_output(std::size_t index, std::size_t entry) const;
  /// Typical standard deviation of an evaluation in a data-oblivious order, element by element:
  /// an estimate, for statistics and for telling arithmetics apart, never a bound (docs/bounds.md,
  /// "Typical"). Computed when asked for; valid until the next call of this function or `run`.
  std::span<const double> typical(std::size_t index);
  /// An entry of an output that is an outer product and whose elements nobody has asked `output`
  /// for; nothing for other outputs.
  std::optional<OuterBounds> outer(std::size_t index, std::size_t entry) const;

  /// Replaces `sound` of all elements of entry `entry` of output 0 by the adjoint bound where that
  /// is smaller (docs/bounds.md, adjoint). Only for networks without derivative ops; a no-op else.
  void refine(std::size_t entry);

  /// Kink units (over all analysed rows) that no bound decides and no observation settled.
  std::size_t undecided_kinks() const;
  /// Elements where an observed z contradicts a decided kink: a fault of the subject.
  std::size_t contradicted_kinks() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// lambda = sqrt(2 ln(2 m / eps)): the probabilistic bound of each of `elements` elements is
/// lambda * sigma and all hold together with probability at least 1 - eps in the model.
double lambda(std::size_t elements, double eps = 1e-9);

/// Do the values carry random low bits, so that the probabilistic tier's model fits them? False for
/// grids, powers of two, constants, mostly zero or mostly equal values.
bool has_random_low_bits(std::span<const float> values);

}  // namespace ulpfuzz::bounds
