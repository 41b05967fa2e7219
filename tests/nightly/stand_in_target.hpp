#pragma once

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

/// Scripts in the place of libFuzzer targets: no clang is needed. They have run one input unless
/// they say otherwise.
namespace ulpfuzz {

struct StandIn {
  /// Shell, with $corpus, $all (each folder, the corpus first), $begin (the last), $artifacts (a
  /// prefix), and all of the command line in $line.
  std::string fuzz = ":";
  /// The same for -merge=1: $corpus is the folder to fill. Keeps all by default.
  std::string merge =
      "for d in $all; do for f in $d/*; do [ -f \"$f\" ] && cp $f $corpus; done; done";
  /// With a file to run: $file.
  std::string run = ":";
};

/// FOLDER/fuzz_NAME. Paths of tests have no spaces.
inline void put_target(const std::filesystem::path& folder, const std::string& name,
                       const StandIn& does) {
  std::filesystem::create_directories(folder);
  const std::filesystem::path file = folder / ("fuzz_" + name);
  std::ofstream(file) << fmt::format(R"(#!/bin/sh
line="$*" mode=fuzz all= corpus= file=
for a in "$@"; do
  case $a in
  -merge=1) mode=merge ;;
  -artifact_prefix=*) artifacts=${{a#*=}} ;;
  -*) ;;
  *)
    if [ -d "$a" ]; then all="$all $a" begin=$a; corpus=${{corpus:-$a}}; else mode=run file=$a; fi ;;
  esac
done
case $mode in
fuzz)
[ -z "$ULPFUZZ_STATISTICS" ] || echo '{{"executions": 1}}' > "$ULPFUZZ_STATISTICS"
{}
;;
merge) {}
;;
run) {}
;;
esac
)",
                                     does.fuzz, does.merge, does.run);
  chmod(file.c_str(), 0755);
}

}  // namespace ulpfuzz
