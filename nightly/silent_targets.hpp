#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "program_run.hpp"
#include "session.hpp"

namespace ulpfuzz::nightly {

struct FuzzTarget;

/// Targets that ran no input at all: nothing that they were to find is missed by anybody. One that
/// ended by itself is an error of the night at once, as a program is that cannot be started, lacks
/// a library, or does something else; one that ran until its time was over, when all turns are.
class SilentTargets {
 public:
  /// A turn of it in `home` that ran so many inputs and took so many seconds. False where it is
  /// silent: then nothing else is to be said of the turn.
  bool note_turn(Session& session, const FuzzTarget& target, const ProgramEnding& ending,
                 std::uint64_t inputs, double seconds, const std::filesystem::path& home);
  /// All turns are over.
  void tell(Session& session);

 private:
  struct Silent {
    double seconds = 0;
    unsigned turns = 0;
    std::filesystem::path home;
  };
  std::map<std::string, Silent> silent_;  ///< by the name of the program
  std::set<std::string> settled_;         ///< ran, or told
};

}  // namespace ulpfuzz::nightly
