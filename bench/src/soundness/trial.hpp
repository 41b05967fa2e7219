#pragma once

#include <optional>
#include <string>
#include <vector>

#include "soundness/data.hpp"
#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/layered_arithmetic.hpp"
#include "ulpfuzz/network/network.hpp"

namespace ulpfuzz::bench {

/// A forward network with numbers.
struct Model {
  Network network;
  std::vector<Tensor> parameters;
  std::vector<std::vector<float>> inputs;
  std::size_t batch = 1;
};

inline constexpr std::array<std::string_view, 6> width_names{"1",     "2-4",    "5-16",
                                                             "17-64", "65-255", "256-1024"};
inline constexpr std::array<std::array<std::uint32_t, 2>, 6> width_limits{
    {{1, 1}, {2, 4}, {5, 16}, {17, 64}, {65, 255}, {256, 1024}}};

/// `depth` linear layers, the widest of them in the class, between and behind them steps of every
/// primal op, `last` the last of them.
Model random_model(std::size_t width_class, std::size_t depth, Op last, Data data, Random& random);
/// Moves biases so that each z of the first batch row is near 0.
void move_to_kinks(Model& model);

enum class Mode : std::uint8_t { forward, reverse, jacobian, batch_sum, tangents };
inline constexpr std::array<std::string_view, 5> mode_names{"forward", "reverse", "jacobian",
                                                            "batch_sum", "tangents"};

/// One case: what is evaluated, every computed node of it an output.
struct Trial {
  Model model;  ///< the network as it is evaluated
  Mode mode = Mode::forward;
  Data data = Data::normal;
  std::size_t width_class = 0;
  std::size_t depth = 0;
  std::string family;  ///< of the arithmetic
  LayeredArithmetic arithmetic;
  std::optional<LayeredArithmetic> claimed;  ///< what the analysis is told instead
  bool known_depth = false;  ///< the arithmetic's depth is what the evaluations turn out to have
  bool conditional = false;  ///< a reference with conversions is asked for
  bool low_bits = false;     ///< the numbers suit the probabilistic tier
  double cost = 0;           ///< multiply-adds of one evaluation
};

/// What cases are drawn from: names of arithmetics and kinds of numbers; all where none are given.
struct Choice {
  std::vector<std::string> families;
  std::vector<std::string> data;
  std::size_t widest = width_names.size() - 1;  ///< no width class beyond this one
};
/// Case `index` of `seed`.
Trial make_trial(std::uint64_t seed, std::uint64_t index, const Choice& choice);
std::string describe(const Trial& trial);

/// Names of arithmetics.
std::vector<std::string> family_names();
/// Draws what the family leaves open, for the nodes of `network`, into `trial`.
void draw_arithmetic(const std::string& family, const Network& network, Random& random,
                     Trial& trial);

}  // namespace ulpfuzz::bench
