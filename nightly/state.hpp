#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ulpfuzz/nightly/nightly.hpp"

namespace ulpfuzz::nightly {

/// What night.json holds: all that --resume needs.
struct State {
  report::Night night;
  std::vector<std::string> passing;           ///< buckets whose kept case passes now
  std::vector<std::string> folded;            ///< names of the parts that are in `night`
  double seconds = 0;                         ///< of work
  std::map<std::string, std::string> here{};  ///< asked_here()
};
/// FileError, saying what to do, for a file that cannot be read as one.
State read_state(const std::filesystem::path& file);
void write_state(const std::filesystem::path& file, const State& state);

/// What was asked, as far as going on with something else would be another night.
std::map<std::string, std::string> asked(const NightlyOptions& options);
/// The rest of it, which says nothing to those who read the report: folders of this machine.
std::map<std::string, std::string> asked_here(const NightlyOptions& options);
/// std::invalid_argument that names each option that is another one than that of the night in
/// `options.out`, and both values. The number of jobs may be: another machine may take over.
void refuse_other(const State& then, const NightlyOptions& options);

}  // namespace ulpfuzz::nightly
