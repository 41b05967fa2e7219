#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace ulpfuzz::shrinking {

/// What happens at one size. `unknown`: no such size, too dear, nothing to judge, or something else
/// fails there.
struct Reading {
  enum class State : std::uint8_t { fails, passes, unknown };
  State state = State::unknown;
  /// Largest share seen; infinity where shares do not tell.
  double share = std::numeric_limits<double>::infinity();

  bool fails() const { return state == State::fails; }
  bool passes() const { return state == State::passes; }
};

using Readings = std::function<Reading(std::uint32_t)>;

/// A rule for sizes, and two neighbouring ones on either side of it.
struct Turn {
  std::string text;
  std::uint32_t fails = 0, passes = 0;
};

/// A size that fails, and how far it makes sense to look.
struct Around {
  std::uint32_t n = 1;
  std::uint32_t least = 1, most = 1u << 20;
  std::string symbol;  ///< "batch", "K"
};

/// Looks around in both directions: where failing starts and ends, a period, a single size. Nothing
/// where all sizes fail, or where the share only creeps over its bound.
std::optional<Turn> find_turn(const Around& around, const Readings& at);

/// "K mod 4 is 3", where sizes around n go by it: nothing if they go by no period up to 16.
std::optional<Turn> find_period(const Around& around, const Readings& at);

}  // namespace ulpfuzz::shrinking
