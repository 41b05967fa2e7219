#include "ulpfuzz/runner/environment.hpp"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>

#include "ulpfuzz/core/fp_environment.hpp"

extern char** environ;

namespace ulpfuzz {
namespace {

/// Value of the first "key : value" line of /proc/cpuinfo; empty where there is none.
std::string cpu_info(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

/// The flags that numerical libraries choose kernels by.
std::string isa() {
  static constexpr std::array<std::string_view, 12> relevant{
      "sse4_2",   "avx",      "avx2",        "fma",         "f16c",     "avx512f",
      "avx512bw", "avx512vl", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16"};
  std::istringstream words(cpu_info("flags"));
  std::set<std::string> present;
  for (std::string word; words >> word;) present.insert(word);
  std::string text;
  for (const std::string_view flag : relevant) {
    if (present.count(std::string(flag)) == 0) continue;
    if (!text.empty()) text += ' ';
    text += flag;
  }
  return text;
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

bool relevant_variable(std::string_view name) {
  for (const std::string_view prefix :
       {"OPENBLAS_", "GOTO_", "OMP_", "MKL_", "BLIS_", "NVIDIA_TF32", "CUBLAS_"})
    if (name.starts_with(prefix)) return true;
  return false;
}

/// Where things lie on a machine is nobody else's business and no reason for a result.
bool is_path(std::string_view value) { return value.find('/') != std::string_view::npos; }

}  // namespace

Environment environment_of(std::span<const Subject* const> subjects) {
  Environment e;
  utsname system{};
  uname(&system);
  const std::string cpu = cpu_info("model name");
  e.machine = {{"ulpfuzz", ULPFUZZ_VERSION},
               {"compiler", compiler()},
               {"cpu", cpu.empty() ? system.machine : cpu},
               {"isa", isa()},
               {"os", fmt::format("{} {} {}", system.sysname, system.release, system.machine)},
               {"libc", fmt::format("glibc {}", gnu_get_libc_version())},
               {"fp_environment", FpEnvironment::current().describe()}};
  for (const Subject* subject : subjects) {
    if (subject->unavailable()) continue;
    const std::string text = subject->environment();
    if (!text.empty()) e.subjects.emplace(subject->name(), text);
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || is_path(text.substr(equals + 1))) continue;
    if (relevant_variable(text.substr(0, equals)))
      e.variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return e;
}

std::string describe(const Environment& environment) {
  std::string text;
  const auto add = [&](const std::string& item) {
    if (!text.empty()) text += "; ";
    text += item;
  };
  for (const char* key : {"ulpfuzz", "compiler", "cpu", "isa", "os", "libc", "fp_environment"}) {
    const auto at = environment.machine.find(key);
    if (at != environment.machine.end())
      add(key == std::string_view("ulpfuzz") ? fmt::format("ulpfuzz {}", at->second) : at->second);
  }
  if (!environment.claim.empty()) add("judged as " + environment.claim);
  for (const auto& [name, value] : environment.subjects) add(fmt::format("{}: {}", name, value));
  for (const auto& [name, value] : environment.variables) add(fmt::format("{}={}", name, value));
  return text;
}

}  // namespace ulpfuzz
