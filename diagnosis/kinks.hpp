#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/network.hpp"

/// Slopes that jump at 0, taken out of a Jacobian: with the slopes of relu and leaky_relu given,
/// what is left is smooth, and its bounds are tight.
namespace ulpfuzz::diagnosis {

/// An activation of the forward network whose slope jumps at 0 from `left` to 1, and is exact
/// elsewhere: relu or leaky_relu. (elu's left slope is computed; its kinks stay in the network.)
struct Kink {
  NodeId activation = 0, operand = 0;
  float left = 0;
};
std::vector<Kink> kinks_of(const Network& forward);

/// Slopes of one row: one vector a kink, of its size.
using Slopes = std::vector<std::vector<float>>;

/// A unit of one row whose z no fp32 evaluation can tell from 0.
struct Unit {
  std::size_t kink = 0, element = 0;
  double z = 0, radius = 0;
};

/// What is known of one row's kinks.
struct RowKinks {
  Slopes slopes;                ///< on the reference's side; of ties: that of z <= 0
  std::vector<Unit> undecided;  ///< |z| <= radius, nearest to 0 first
  std::vector<Unit> decided;    ///< the others, nearest to 0 first
  bool blind = false;           ///< some z has no bound
};

/// A derivative of the forward network with its kinks' slopes as inputs.
struct MaskedNetwork {
  struct Source {
    bool slopes = false;  ///< of kink `index`; else input `index` of the derivative network
    std::size_t index = 0;
  };
  Network network;
  std::vector<Source> inputs;  ///< one an input node
};
MaskedNetwork with_slopes_as_inputs(const Network& derivative, const Network& forward);

/// Which node of `forward` each node of a derivative of it repeats; nothing for those that only the
/// derivative has.
std::vector<std::optional<NodeId>> primal_nodes(const Network& derivative, const Network& forward);

/// Judges the z of a network's kinks, row by row.
class KinkJudge {
 public:
  KinkJudge(const Network& forward, std::span<const Tensor> parameters,
            const bounds::AnalysisOptions& options);

  const std::vector<Kink>& kinks() const { return kinks_; }
  /// `inputs`: those of one row. `lambda` > 0: radii are lambda deviations where that is less than
  /// the sound radius.
  RowKinks judge(std::span<const float* const> inputs, double lambda = 0);

 private:
  std::vector<Kink> kinks_;
  Network opened_;
  std::span<const Tensor> parameters_;
  bounds::AnalysisOptions options_;
  bounds::Analysis analysis_;
};

/// The slope across the kink from the one that unit has in `slopes`.
float other_slope(const Kink& kink, float slope);

/// "unit 3 of relu 1 in row 4".
std::string describe(const Unit& unit, const std::vector<Kink>& kinks, const Network& forward,
                     std::size_t row);

}  // namespace ulpfuzz::diagnosis
