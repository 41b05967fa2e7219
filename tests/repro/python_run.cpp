#include "python_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace ulpfuzz::repro {
namespace {

namespace fs = std::filesystem;

std::string run_shell(const std::string& command, int& code) {
  std::string printed;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen: " + command);
  char block[4096];
  for (std::size_t n = 0; (n = fread(block, 1, sizeof block, pipe)) > 0;) printed.append(block, n);
  const int status = pclose(pipe);
  code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return printed;
}

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
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace

fs::path python_folder(Language language) {
  return language == Language::jax ? fs::path(ULPFUZZ_SOURCE_DIR) / "build/python/bin" : "/usr/bin";
}

std::optional<std::string> unavailable(Language language) {
  int code = 0;
  const fs::path python = python_folder(language) / "python3";
  if (!fs::exists(python))
    return fmt::format("no {} here; ci/setup makes it",
                       language == Language::jax ? "JAX" : "python3");
  const std::string module(name(language));
  run_shell(
      fmt::format("{} -c 'import importlib.util as u, sys; sys.exit(not u.find_spec(\"{}\"))'",
                  python.string(), module),
      code);
  if (code == 0) return std::nullopt;
  return fmt::format("python3 has no {}; ci/setup installs it", module);
}

Ran run_program(Language language, const std::string& program, const std::string& plant) {
  const std::string first = program.substr(0, program.find('\n'));
  const std::string start = "# ";
  EXPECT_TRUE(first.starts_with(start + "python3 ")) << first;
  const std::string command = first.substr(start.size());
  const std::string file = command.substr(command.rfind(' ') + 1);
  const Folder folder;
  std::ofstream(folder.path() / file) << program;
  std::string environment = fmt::format("PATH={}:$PATH JAX_PLATFORMS=cpu OMP_NUM_THREADS=1",
                                        python_folder(language).string());
  if (!plant.empty())
    environment += fmt::format(" PYTHONPATH={}/tests/repro/planted ULPFUZZ_PLANT={}",
                               ULPFUZZ_SOURCE_DIR, plant);
  Ran ran;
  ran.printed = run_shell(
      fmt::format("cd {} && export {} && {} 2>&1", folder.path().string(), environment, command),
      ran.code);
  ran.numbers = numbers_in(ran.printed);
  return ran;
}

}  // namespace ulpfuzz::repro
