#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "soundness/tally.hpp"

namespace ulpfuzz::bench {

/// How far a run is: kept in a file so that a killed run goes on where it was.
struct State {
  std::uint64_t seed = 1;
  std::string families;           ///< as asked for
  std::uint64_t below = 0;        ///< all cases below are done
  std::set<std::uint64_t> above;  ///< and these
  double seconds = 0;
  Tally tally;

  bool done(std::uint64_t index) const { return index < below || above.count(index) > 0; }
  void finish(std::uint64_t index);
};

/// Writes through a temporary file beside it; false where that fails.
bool write_file(const std::string& path, const nlohmann::json& j);
bool save(const State& state, const std::string& path);
/// Throws std::runtime_error, naming the file and what is wrong with it.
State load_state(const std::string& path);

}  // namespace ulpfuzz::bench
