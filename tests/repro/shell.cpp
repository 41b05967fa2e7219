#include "shell.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <sstream>
#include <stdexcept>

namespace ulpfuzz::repro {
namespace {

/// "a = 0x1.8p+0 (1.5) ..." is a number of that name.
std::map<std::string, double> numbers_in(const std::string& printed) {
  std::map<std::string, double> numbers;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    const auto equals = line.find(" = ");
    if (equals != std::string::npos)
      numbers[line.substr(0, equals)] = std::strtod(line.c_str() + equals + 3, nullptr);
  }
  return numbers;
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "ulpfuzz-repro-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Ran run_shell(const std::filesystem::path& folder, const std::string& command) {
  const std::string line = fmt::format("cd {} && {{ {}; }} 2>&1", folder.string(), command);
  Ran ran;
  std::FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen: " + line);
  char block[4096];
  for (std::size_t n = 0; (n = fread(block, 1, sizeof block, pipe)) > 0;)
    ran.printed.append(block, n);
  const int status = pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  ran.numbers = numbers_in(ran.printed);
  return ran;
}

}  // namespace ulpfuzz::repro
