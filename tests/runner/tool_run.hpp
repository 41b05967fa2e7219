#pragma once

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "trial_subjects.hpp"

namespace ulpfuzz {

inline const std::string tool = std::string(ULPFUZZ_BINARY_DIR) + "/bin/ulpfuzz";

struct Result {
  int code = -1;
  std::string out, err;
};

/// The tool in a shell, with its streams in files.
inline Result run(const mutants::Scratch& scratch, const std::string& arguments,
                  const std::string& before = "") {
  const std::string command = fmt::format("{} {} {} >{} 2>{}", before, tool, arguments,
                                          (scratch / "o").string(), (scratch / "e").string());
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status),
          mutants::content(scratch / "o"), mutants::content(scratch / "e")};
}

inline std::string out_option(const mutants::Scratch& scratch) {
  return " --out " + (scratch / "report").string() + " ";
}

}  // namespace ulpfuzz
