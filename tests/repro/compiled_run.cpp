#include "compiled_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ulpfuzz::repro {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "ulpfuzz-repro-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& file, const std::string& text) const {
    std::ofstream(path_ / file) << text;
    return path_.string();
  }

 private:
  fs::path path_;
};

/// What the shell prints, both streams.
std::string shell(const std::string& command, int& code) {
  std::string printed;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen: " + command);
  char block[4096];
  for (std::size_t n = 0; (n = fread(block, 1, sizeof block, pipe)) > 0;) printed.append(block, n);
  const int status = pclose(pipe);
  code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return printed;
}

}  // namespace

std::string command_of(const std::string& program) {
  EXPECT_TRUE(program.starts_with("// ")) << program;
  return program.substr(3, program.find('\n') - 3);
}

Ran run_compiled(const std::string& program, const std::string& file, const std::string& flags) {
  const Folder folder;
  std::string command = command_of(program);
  if (!flags.empty()) command.insert(command.find(' '), " " + flags);
  Ran ran;
  ran.printed =
      shell(fmt::format("cd {} && {{ {}; }} 2>&1", folder.write(file, program), command), ran.code);
  std::istringstream lines(ran.printed);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find(" = ");
    if (equals != std::string::npos)
      ran.numbers[line.substr(0, equals)] = std::strtod(line.c_str() + equals + 3, nullptr);
  }
  return ran;
}

std::string warnings_of(const std::string& program, const std::string& flags) {
  const Folder folder;
  int code = 0;
  std::string said =
      shell(fmt::format("cd {} && g++ -std=c++17 -Wall -Wextra {} -fsyntax-only repro.cpp 2>&1",
                        folder.write("repro.cpp", program), flags),
            code);
  if (code != 0 && said.empty()) said = fmt::format("g++ ended with {}", code);
  return said;
}

}  // namespace ulpfuzz::repro
