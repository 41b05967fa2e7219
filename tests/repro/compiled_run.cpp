#include "compiled_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace ulpfuzz::repro {

std::string command_of(const std::string& program) {
  EXPECT_TRUE(program.starts_with("// ")) << program;
  return program.substr(3, program.find('\n') - 3);
}

Ran run_compiled(const std::string& program, const std::string& file, const std::string& flags) {
  const Folder folder;
  std::ofstream(folder.path() / file) << program;
  std::string command = command_of(program);
  if (!flags.empty()) command.insert(command.find(' '), " " + flags);
  return run_shell(folder.path(), command);
}

std::string warnings_of(const std::string& program, const std::string& flags) {
  const Folder folder;
  std::ofstream(folder.path() / "repro.cpp") << program;
  const Ran ran = run_shell(
      folder.path(), fmt::format("g++ -std=c++17 -Wall -Wextra {} -fsyntax-only repro.cpp", flags));
  return ran.code != 0 && ran.printed.empty() ? fmt::format("g++ ended with {}", ran.code)
                                              : ran.printed;
}

}  // namespace ulpfuzz::repro
