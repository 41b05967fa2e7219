#include "python_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace ulpfuzz::repro {

namespace fs = std::filesystem;

fs::path python_folder(Language language) {
  return language == Language::jax ? fs::path(ULPFUZZ_SOURCE_DIR) / "build/python/bin" : "/usr/bin";
}

std::optional<std::string> unavailable(Language language) {
  const fs::path python = python_folder(language) / "python3";
  if (!fs::exists(python))
    return fmt::format("no {} here; ci/setup makes it",
                       language == Language::jax ? "JAX" : "python3");
  const std::string module(name(language));
  const Ran asked = run_shell(
      "/", fmt::format("{} -c 'import importlib.util as u, sys; sys.exit(not u.find_spec(\"{}\"))'",
                       python.string(), module));
  if (asked.code == 0) return std::nullopt;
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
  return run_shell(folder.path(), fmt::format("export {} && {}", environment, command));
}

}  // namespace ulpfuzz::repro
