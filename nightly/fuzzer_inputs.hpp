#pragma once

#include <filesystem>
#include <set>
#include <vector>

#include "fuzzers.hpp"

namespace ulpfuzz::nightly {

/// Inputs that a target has kept in this night, each named by its hash.
std::filesystem::path inputs_of_night(const Session& session, const FuzzTarget& target);
/// What earlier nights left of them: fuzzing/TARGET of the corpus.
std::filesystem::path inputs_of_corpus(const Session& session, const FuzzTarget& target);

/// Where it writes them in one part, and how they become inputs of the night.
std::filesystem::path inputs_of_part(const std::filesystem::path& part, const FuzzTarget& target);
void gather_inputs(const Session& session, const FuzzTarget& target,
                   const std::filesystem::path& part);

/// Links in `folder` to some of what a target can begin with, at most so many: what this night and
/// earlier ones kept, distilled cases of its property, seeds; those of the build for readers, and
/// where nothing is known yet. Which ones depends on `seed`. Returns how many.
std::size_t link_inputs(Session& session, const FuzzTarget& target,
                        const std::filesystem::path& folder, std::size_t most, std::uint64_t seed);

/// Inputs of properties as cases that climbing begins with, each once: its pool keeps what rises.
class FuzzedCases {
 public:
  /// Some of what earlier nights left at first, then the latest of what this one has found since.
  /// Files in OUT/fuzzed, each with its property.
  std::vector<std::filesystem::path> fresh(Session& session, const Fuzzers& fuzzers);

 private:
  std::set<std::filesystem::path> given_;
  bool begun_ = false;
};

/// Inputs of a target in the corpus, at most.
inline constexpr std::size_t most_inputs = 1000;

}  // namespace ulpfuzz::nightly
