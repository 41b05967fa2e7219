#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kinks.hpp"
#include "ulpfuzz/diagnosis/explanation.hpp"

namespace ulpfuzz::diagnosis {

/// Where the elements of a quantity lie: [rows, outputs, elements of the blocks]. Outputs
/// themselves are one block of one element.
struct Layout {
  struct Block {
    std::string name;  ///< "parameter 2", "input 0"
    Shape shape;
    std::size_t first = 0;     ///< its first element
    std::size_t gradient = 0;  ///< output of the vjp network
  };
  Quantity quantity = Quantity::outputs;
  std::size_t rows = 0, outputs = 0, elements = 1;
  std::vector<Block> blocks;

  std::size_t row_size() const { return outputs * elements; }
  const Block& block_of(std::size_t element) const;
  /// "row 1, output 3", "row 1, d output 3 / d parameter 2[0][4]".
  std::string where(std::size_t index) const;
};
Layout layout_of(const Network& network, Quantity quantity, std::size_t rows);

/// Inputs of one row, one an input node.
std::vector<const float*> row_inputs(const Network& network, std::span<const float* const> inputs,
                                     std::size_t row);

/// What evaluations of one row may give, element by element of the row.
struct RowBounds {
  std::vector<double> reference;
  std::vector<double> sound;    ///< of one evaluation; infinite where there is no bound
  std::vector<double> sigma;    ///< standard deviation in the probabilistic model
  std::vector<double> typical;  ///< in a usual order
};

/// Bounds a quantity of a network row by row: outputs, or Jacobians in any order of sums and, where
/// `with_forward_mode` is affordable, by vjp (a loop, jacrev) or jvp (jacfwd).
class RowJudge {
 public:
  /// `backward`: parameters that the backward pass reads in place of its own; empty: none. All
  /// arguments must outlive the judge.
  RowJudge(const Network& forward, std::span<const Tensor> parameters, Quantity quantity,
           bool with_forward_mode = false, std::span<const Tensor> backward = {});
  ~RowJudge();
  RowJudge(RowJudge&&) noexcept;

  bool covers_forward_mode() const;
  /// Given the slopes at the kinks; of Jacobians without, radii span both slopes where z is
  /// undecided. Valid until the next call.
  const RowBounds& run(std::span<const float* const> inputs, const Slopes* slopes);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Options for networks of this depth and width: the matrix adjoint where it is affordable.
bounds::AnalysisOptions analysis_options(const Network& forward);

}  // namespace ulpfuzz::diagnosis
