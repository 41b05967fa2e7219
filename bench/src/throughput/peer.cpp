#include "throughput/peer.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace ulpfuzz::bench {
namespace {

struct Finished {
  int status = 0;
  std::string out;
};

Finished run(const std::string& command) {
  Finished result;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {.status = -1, .out = {}};
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    result.out.append(buffer.data(), n);
  const int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

PeerRates::Rates rates(const nlohmann::json& j) {
  const auto describe = [](const nlohmann::json& m) {
    return average_case(m.at("mean_rows"), m.at("mean_slices"), m.at("mean_multiply_adds"));
  };
  const auto &forward = j.at("forward"), &gradient = j.at("gradient");
  return {.forward = forward.at("cases_per_second"),
          .gradient = gradient.at("cases_per_second"),
          .forward_case = describe(forward),
          .gradient_case = describe(gradient)};
}

}  // namespace

// /usr/bin/python3 and no other: Debian's python3-torch and python3-hypothesis belong to it.
std::optional<PeerRates> run_peer(double seconds, std::string& problem) {
  const auto done = run(
      fmt::format("/usr/bin/python3 '{}' --seconds {} </dev/null", ULPFUZZ_PEER_SCRIPT, seconds));
  if (done.status != 0) {
    problem = done.status == 4 || done.status == 127
                  ? "Hypothesis with PyTorch is not installed; run: ci/setup --bench"
                  : fmt::format("{} ended with exit code {}", ULPFUZZ_PEER_SCRIPT, done.status);
    return std::nullopt;
  }
  try {
    const auto j = nlohmann::json::parse(done.out);
    return PeerRates{.versions = j.at("versions"),
                     .same = rates(j.at("same")),
                     .strategies = rates(j.at("strategies"))};
  } catch (const nlohmann::json::exception& e) {
    problem = fmt::format("{} printed something else than its results: {}", ULPFUZZ_PEER_SCRIPT,
                          e.what());
    return std::nullopt;
  }
}

std::string average_case(double rows, double slices, double multiply_adds) {
  return fmt::format("{:.1f} rows, {:.1f} slices, {:.0f} multiply-adds", rows, slices,
                     multiply_adds);
}

}  // namespace ulpfuzz::bench
