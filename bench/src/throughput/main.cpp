#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "throughput/measure.hpp"
#include "throughput/peer.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::bench {
namespace {

struct Options {
  double seconds = 3;
  double peer_seconds = 8;
  std::uint64_t seed = 1;
  std::uint64_t memory_cases = 1000;
  std::string headline = "openblas";
  std::string json;
  bool no_peer = false;
  bool require_peer = false;
};

using PerSubject = std::vector<std::pair<const Subject*, Measurement>>;

PerSubject measure_all(const Property& property, const Registry& registry, const Options& options) {
  PerSubject result;
  fmt::print("{}\n  {:<16}{:>10}{:>10}{:>10}{:>8}{:>8}{:>7}{:>7}{:>11}\n", property.name, "subject",
             "cases/s", "generate", "evaluate", "bound", "other", "fail", "void", "max share");
  for (const Subject* subject : registry.all()) {
    measure(property, *subject, options.seed, 0.1);  // warm caches and buffers
    const auto m = measure(property, *subject, options.seed, options.seconds);
    fmt::print("  {:<16}{:>10.0f}{:>9.0f}%{:>9.0f}%{:>7.0f}%{:>7.0f}%{:>7}{:>7}{:>11.3g}\n",
               subject->name(), m.rate(), m.part(m.generate), m.part(m.evaluate), m.part(m.bound),
               m.part(m.other()), m.failures, m.unjudged, m.share_max);
    fflush(stdout);
    result.emplace_back(subject, m);
  }
  return result;
}

const Measurement& of(const Subject& subject, const PerSubject& all) {
  return std::find_if(all.begin(), all.end(), [&](const auto& e) { return e.first == &subject; })
      ->second;
}

std::uint64_t failures(const PerSubject& all) {
  std::uint64_t n = 0;
  for (const auto& entry : all) n += entry.second.failures;
  return n;
}

std::string average(const Measurement& m) {
  const auto n = static_cast<double>(m.cases);
  return average_case(m.rows / n, m.slices / n, m.multiply_adds / n);
}

nlohmann::json to_json(const PerSubject& all) {
  nlohmann::json j;
  for (const auto& [subject, m] : all)
    j[std::string(subject->name())] = {{"cases_per_second", m.rate()},
                                       {"cases", m.cases},
                                       {"failures", m.failures},
                                       {"unjudged", m.unjudged},
                                       {"share_max", m.share_max},
                                       {"seconds", m.seconds},
                                       {"generate", m.generate},
                                       {"evaluate", m.evaluate},
                                       {"bound", m.bound},
                                       {"other", m.other()}};
  return j;
}

/// One line, and its JSON: our rate, the peer's and the ratio.
nlohmann::json compare(const char* what, const Measurement& ours, double peer, double strategies) {
  fmt::print("  {:<10}{:>9.0f}", what, ours.rate());
  nlohmann::json j = {{"ours", ours.rate()}, {"peer", nullptr}, {"ratio", nullptr}};
  if (peer > 0) {
    fmt::print("{:>9.1f}{:>8.0f}x{:>14.1f}{:>8.0f}x", peer, ours.rate() / peer, strategies,
               ours.rate() / strategies);
    j["peer"] = peer;
    j["ratio"] = ours.rate() / peer;
    j["peer_strategies"] = strategies;
    j["ratio_strategies"] = ours.rate() / strategies;
  }
  fmt::print("\n");
  return j;
}

/// The table of ours against the peer's, and its JSON.
nlohmann::json compare_all(const Measurement& forward, const Measurement& gradient,
                           const std::optional<PeerRates>& peer, const std::string& problem) {
  if (peer)
    fmt::print("peer: {}; cases per second\n  {:<10}{:>9}{:>9}{:>9}{:>14}{:>9}\n", peer->versions,
               "", "ours", "peer", "ratio", "by strategies", "ratio");
  else
    fmt::print("peer: {}; cases per second\n  {:<10}{:>9}\n", problem, "", "ours");
  const auto rates = peer.value_or(PeerRates{});
  nlohmann::json j;
  j["forward"] = compare("forward", forward, rates.same.forward, rates.strategies.forward);
  j["gradient"] = compare("gradient", gradient, rates.same.gradient, rates.strategies.gradient);
  j["peer"] = peer ? nlohmann::json(peer->versions) : nlohmann::json(nullptr);
  fmt::print("average case, forward:  ours {}\n", average(forward));
  if (peer)
    fmt::print("                        peer {}\n                        by strategies {}\n",
               rates.same.forward_case, rates.strategies.forward_case);
  fmt::print("average case, gradient: ours {}\n", average(gradient));
  if (peer)
    fmt::print("                        peer {}\n                        by strategies {}\n",
               rates.same.gradient_case, rates.strategies.gradient_case);
  return j;
}

bool write_json(const nlohmann::json& j, const std::string& path) {
  std::ofstream file(path);
  if (file << j.dump(2) << std::endl) return true;
  fmt::print(stderr, "throughput: cannot write {}\n", path);
  return false;
}

int run(const Options& options) {
  const Registry registry = builtin_subjects();
  const Subject* subject = registry.find(options.headline);
  if (subject == nullptr) {
    fmt::print(stderr, "throughput: no subject '{}' in this build\n", options.headline);
    return 2;
  }
  fmt::print("plain distribution, one thread, seed {}; headline subject {} ({})\n", options.seed,
             subject->name(), subject->environment());
  // Before anything else, so that a child inherits no memory worth mentioning.
  const double peak = peak_memory(*subject, options.seed, options.memory_cases, 1);
  const double peak_again = peak_memory(*subject, options.seed, options.memory_cases, 10);
  const double peak_more = peak_memory(*subject, options.seed, 10 * options.memory_cases, 1);

  const auto forward = measure_all(properties::batched_vs_sliced, registry, options);
  const auto gradient = measure_all(properties::loop_vs_vectorized, registry, options);
  const auto &f = of(*subject, forward), &g = of(*subject, gradient);
  std::string problem = "not asked for";
  std::optional<PeerRates> peer;
  if (!options.no_peer) peer = run_peer(options.peer_seconds, problem);

  nlohmann::json j = compare_all(f, g, peer, problem);
  fmt::print("time inside {}: forward {:.0f}%, gradient {:.0f}%\n", subject->name(),
             f.part(f.evaluate), g.part(g.evaluate));
  const auto n = options.memory_cases + options.memory_cases / 10;
  fmt::print(
      "peak memory: {:.1f} MiB after {} cases, {:.1f} MiB after the same ten times, {:.1f} MiB "
      "after {} others (whose largest is larger)\n",
      peak, n, peak_again, peak_more, 10 * n);
  j["subject"] = subject->name();
  j["subject_time_share"] = (f.evaluate + g.evaluate) / (f.seconds + g.seconds);
  j["forward"]["subject_time_share"] = f.evaluate / f.seconds;
  j["gradient"]["subject_time_share"] = g.evaluate / g.seconds;
  j["subjects"] = {{"forward", to_json(forward)}, {"gradient", to_json(gradient)}};
  j["peak_mib"] = {
      {"cases", peak}, {"ten_times_the_same", peak_again}, {"ten_times_as_many", peak_more}};
  if (!options.json.empty() && !write_json(j, options.json)) return 4;
  if (!peer && options.require_peer) return 4;
  return failures(forward) + failures(gradient) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ulpfuzz::bench

int main(int argc, char** argv) {
  ulpfuzz::bench::Options o;
  CLI::App app{
      "Cases per second, one thread, of ulpfuzz and of Hypothesis with PyTorch.\n"
      "Example: bench/throughput --json throughput.json"};
  app.add_option("--seconds", o.seconds, "for each property and subject")->capture_default_str();
  app.add_option("--peer-seconds", o.peer_seconds, "for each of the peer's four measurements")
      ->capture_default_str();
  app.add_option("--seed", o.seed)->capture_default_str();
  app.add_option("--subject", o.headline, "subject that is compared with the peer")
      ->capture_default_str();
  app.add_option("--memory-cases", o.memory_cases)->capture_default_str();
  app.add_option("--json", o.json, "file for the results");
  app.add_flag("--no-peer", o.no_peer, "only ours");
  app.add_flag("--require-peer", o.require_peer, "exit code 4 if the peer cannot run");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return ulpfuzz::bench::run(o);
}
