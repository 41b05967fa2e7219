#include "silent_targets.hpp"

#include <fmt/format.h>

#include <sstream>

#include "fuzzer_findings.hpp"
#include "fuzzers.hpp"
#include "reader_findings.hpp"
#include "ulpfuzz/runner/files.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

// A target may be slow to begin, once, on a machine where many others work.
constexpr unsigned least_turns = 2;
constexpr double least_seconds = 10, enough_for_one = 60;
constexpr std::size_t longest_words = 200;  // of a line in the reports

/// "; its log: FILE: what it said last"
std::string log_of(const fs::path& home) {
  const fs::path log = home / "log";
  std::istringstream lines(file_text(log).value_or(""));
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \t\r") != line.npos) last = line;
  return fmt::format("; its log: {}{}{}", log.string(), last.empty() ? " is empty" : ": ",
                     last.substr(0, longest_words));
}

}  // namespace

bool SilentTargets::note_turn(Session& session, const FuzzTarget& target,
                              const ProgramEnding& ending, std::uint64_t inputs, double seconds,
                              const fs::path& home) {
  if (inputs > 0 || !artifacts(home).empty() || session.stopping()) {
    if (!session.stopping()) settled_.insert(target.file());
    return true;
  }
  if (!was_told(ending)) {
    if (settled_.insert(target.file()).second)
      session.error(fmt::format("libFuzzer: {} ran no input and {}{}", target.file(), ending.text(),
                                log_of(home)));
    return false;
  }
  Silent& silent = silent_[target.file()];
  silent.seconds += seconds;
  ++silent.turns;
  silent.home = home;
  return false;
}

void SilentTargets::tell(Session& session) {
  for (const auto& [file, silent] : silent_)
    if (silent.seconds >= (silent.turns < least_turns ? enough_for_one : least_seconds) &&
        settled_.insert(file).second)
      session.error(fmt::format("libFuzzer: {} ran no input in {:.0f} s{}", file, silent.seconds,
                                log_of(silent.home)));
}

}  // namespace ulpfuzz::nightly
