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
  std::map<std::string, std::string> here{};  ///< asked_here(); empty: nobody knows
};
/// FileError, saying what to do, for a file that cannot be read as one.
State read_state(const std::filesystem::path& file);
/// night.json of the folder of a night; std::invalid_argument where there is none.
std::filesystem::path state_file(const std::filesystem::path& out);
void write_state(const std::filesystem::path& file, const State& state);

/// What was asked, as far as going on with something else would be another night.
std::map<std::string, std::string> asked(const NightlyOptions& options);
inline constexpr const char* as_given = "as given: ";
/// The rest of it, which says nothing to those who read the report: folders of this machine, each
/// where it lies and, under as_given and the option, where it was said to.
std::map<std::string, std::string> asked_here(const NightlyOptions& options);
/// std::invalid_argument that names each option that differs from the night's in `options.out`, and
/// both values. A folder differs if it neither lies nor was said to lie in the same place. The
/// number of jobs may differ: another machine may take over.
void refuse_other(const State& then, const NightlyOptions& options);

}  // namespace ulpfuzz::nightly
