#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ulpfuzz/repro/repro.hpp"
#include "ulpfuzz/subjects/schedules.hpp"

namespace ulpfuzz::repro {

/// What the cotangents of a call are, its network's last input: none (a forward or jvp network);
/// e_column; all unit cotangents of each row; those of the case.
enum class Cotangents : std::uint8_t { none, unit, all, given };

/// One call of an evaluator, and which element of its result is compared.
struct Call {
  const Network* network = nullptr;
  std::vector<std::uint32_t> rows;  ///< of the case's batch, in the order of evaluation
  std::uint32_t padding = 0;        ///< then so many rows of zeros
  Cotangents cotangents = Cotangents::none;
  std::uint32_t column = 0;  ///< of the unit cotangent
  std::size_t output = 0;    ///< which of the network's outputs
  std::size_t index = 0;     ///< in it: entry * shape.size() + element
  unsigned offset = 0;       ///< of inputs and outputs, in floats from a 64-byte boundary

  std::size_t batch() const { return rows.size() + padding; }
};

/// How a result comes about. `exact`: the reference, known to double precision.
enum class Route : std::uint8_t { batch, slice, loop, reverse, forward, whole, micro, exact };

struct Path {
  Route route = Route::exact;
  std::string words;        ///< "batch of 12", "slice rows 0-3", "the loop", "reference"
  std::vector<Call> calls;  ///< several of `micro`: added in double, then rounded; none of `exact`
  float value = 0;          ///< what the verdict saw
};

/// What a program checks. `bound`: finite and within the bound; `number_class`: NaN and infinities
/// where the other side has them; `bits`: equal bits; `repeated`: equal bits when path a is
/// repeated; the others are about path a alone: every element of its outputs is written, nothing
/// behind them, the floating-point environment is left as it was, the call returns.
enum class Check : std::uint8_t {
  bound,
  number_class,
  bits,
  repeated,
  unwritten,
  red_zone,
  environment,
  returns
};

/// What a program shows, whatever its language.
struct Scene {
  explicit Scene(const Case& c) : value(c) {}

  const Case& value;
  Check check = Check::bound;
  bool gradient = false;
  Path a, b;                 ///< b: unused by checks of path a alone
  std::string where;         ///< "output[row 1][column 0]"; empty where no element is meant
  std::uint32_t row = 0;     ///< of the batch; 0 for batch-summed gradients
  std::uint32_t column = 0;  ///< of the output; 0 for batch-summed gradients
  std::size_t wrt = 0;       ///< gradients: inputs first, then parameters
  std::size_t element = 0;   ///< gradients: of that input or parameter
  double reference = 0;      ///< exact result
  double difference = 0;     ///< |a - b|; of `exact`: |a - reference|
  double bound = 0;          ///< 0 where bits shall be equal
  std::shared_ptr<const DerivedNetworks> derived;  ///< of gradients: what calls point into
};

/// Reads the evidence of the verdict, and asks the subject, where it runs here, which of several
/// slices is meant. Throws std::invalid_argument, saying what would fit, for a verdict that is no
/// failure or names no element where it must.
Scene scene_of(const Failure& failure);

}  // namespace ulpfuzz::repro
