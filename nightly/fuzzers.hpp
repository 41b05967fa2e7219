#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "session.hpp"
#include "silent_targets.hpp"

namespace ulpfuzz::nightly {

/// A libFuzzer target as a program: of a property, or of a reader of files.
struct FuzzTarget {
  std::filesystem::path program;  ///< absolute, .../fuzz_NAME
  std::string name;               ///< "batched_vs_sliced", "npy"
  bool reader = false;

  std::string file() const { return program.filename().string(); }
};

/// The targets of a night. They collect: what fails is written down and they go on.
class Fuzzers {
 public:
  /// Those in NightlyOptions::fuzzers, for the chosen properties.
  explicit Fuzzers(const Session& session);

  /// Why there are none; empty if there are.
  const std::string& why_not() const { return why_not_; }
  const std::vector<FuzzTarget>& properties() const { return properties_; }
  const std::vector<FuzzTarget>& all() const { return all_; }

  /// Seconds that a turn must have, to read the least that a target can begin with and go on.
  double least_turn() const;
  /// Runs `jobs` of them for so many seconds, in a part of the night; the next turn has those that
  /// wait. With `runs`, all of them, for so many executions each. What they found is run again as
  /// given cases. Returns how many inputs are new to the corpus of a property; nothing where
  /// readers had the turn: theirs are of no use to the search.
  std::optional<std::uint64_t> turn(Session& session, double seconds, std::uint64_t runs);
  /// After the last turn: a target that ran no input in any is an error of the night.
  void tell_silent(Session& session) { silent_.tell(session); }
  /// Inputs that readers took in this night, until now.
  std::uint64_t read() const { return read_; }

 private:
  void go_on(const Session& session);
  std::vector<FuzzTarget> due(std::size_t jobs);
  void run_together(Session& session, std::span<const FuzzTarget> group,
                    const std::filesystem::path& part, double seconds, std::uint64_t runs);
  std::size_t most_to_read(const FuzzTarget& target, double seconds, std::uint64_t runs) const;

  std::vector<FuzzTarget> properties_, readers_, all_;
  std::string why_not_;
  std::uint64_t turns_ = 0, started_ = 0, read_ = 0;
  SilentTargets silent_;
  std::map<std::string, double> speed_;  ///< of targets of properties: executions a second, lately
};

}  // namespace ulpfuzz::nightly
