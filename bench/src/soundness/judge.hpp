#pragma once

#include <string>
#include <vector>

#include "soundness/style.hpp"
#include "soundness/tally.hpp"
#include "soundness/trial.hpp"

namespace ulpfuzz::bench {

/// What was found wrong, in words that suffice to look at it again.
struct Violation {
  std::string text;
};

struct Findings {
  Tally tally;
  std::vector<Violation> violations;
};

/// Evaluates the case in several styles and holds every computed element against every tier.
Findings judge_trial(const Trial& trial, std::uint64_t seed);

/// What one evaluation gave: of each output, elements [from, from + size) of all entries together.
struct Evaluated {
  Style style;
  std::size_t depth = 0;
  std::vector<std::vector<double>> outputs;
  std::vector<std::vector<float>> kinks;  ///< of each of the network's kink operands
};
/// Which part of an output is judged: wide outer products are judged in part.
struct Part {
  std::size_t from = 0, size = 0;
};

Evaluated evaluate(const Trial& trial, const Style& style, const std::vector<Part>& parts);
/// In long double, without roundings to speak of.
Evaluated evaluate_exactly(const Trial& trial, const std::vector<Part>& parts);

}  // namespace ulpfuzz::bench
