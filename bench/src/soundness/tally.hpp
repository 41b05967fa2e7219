#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace ulpfuzz::bench {

/// Judged elements of one kind.
struct Count {
  std::uint64_t elements = 0;  ///< held against a bound
  std::uint64_t exact = 0;     ///< of these, with a bound of 0
  std::uint64_t unjudged = 0;  ///< no bound, or only a class
  std::uint64_t violations = 0;
  double worst = 0;            ///< largest error / bound
  double worst_decided = 0;    ///< the same in analyses without undecided kinks
  std::uint64_t probable = 0;  ///< elements that the probabilistic tier speaks of
  double worst_probable = 0;   ///< largest error / (lambda sigma)

  void add(const Count& other);
};

/// Sums over cases: [dimension][key], as "op" -> "tanh".
struct Tally {
  std::map<std::string, std::map<std::string, Count>> by;
  std::uint64_t cases = 0;
  std::uint64_t reference_elements = 0;
  double reference_share = 0;  ///< largest error of a reference / what the bounds allow it
  std::uint64_t contradicted = 0;

  void add(const Tally& other);
  Count total() const;
};

void to_json(nlohmann::json& j, const Count& c);
void from_json(const nlohmann::json& j, Count& c);
void to_json(nlohmann::json& j, const Tally& t);
void from_json(const nlohmann::json& j, Tally& t);

}  // namespace ulpfuzz::bench
