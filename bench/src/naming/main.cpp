#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "naming/plant.hpp"
#include "naming/trial.hpp"

namespace ulpfuzz::bench {
namespace {

struct Options {
  std::uint64_t networks = 3000;
  std::uint64_t seed = 1;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> only;
  std::string json, markdown;
  bool faults = false;
};

/// Of one class and one way of asking.
struct Tally {
  std::uint64_t total = 0, right = 0, strict = 0, unchanged = 0, named = 0;
  double seconds = 0;
  std::map<std::string, std::uint64_t> first;  ///< right ones under the true class
  std::vector<std::string> faults;

  void add(const Outcome& o, const std::string& name) {
    ++total;
    right += o.right;
    strict += o.strict;
    unchanged += o.unchanged;
    named += o.named;
    seconds += o.seconds;
    ++first[o.right ? name : o.first.empty() ? "none" : o.first];
    if (!o.right && faults.size() < 20) faults.push_back(o.fault);
  }
  void add(const Tally& other) {
    total += other.total;
    right += other.right;
    strict += other.strict;
    unchanged += other.unchanged;
    named += other.named;
    seconds += other.seconds;
    for (const auto& [name, n] : other.first) first[name] += n;
    faults.insert(faults.end(), other.faults.begin(), other.faults.end());
  }
  double share(std::uint64_t n) const {
    return total == 0 ? 0 : static_cast<double>(n) / static_cast<double>(total);
  }
};

/// One network in five is asked about by the difference alone; one in ten more is added up in an
/// order that is not known.
struct Tallies {
  Tally both, difference, unknown_order;

  void add(const Tallies& other) {
    both.add(other.both);
    difference.add(other.difference);
    unknown_order.add(other.unknown_order);
  }
  Tally known() const {
    Tally t = both;
    t.add(difference);
    return t;
  }
};

/// A class of the bench: an arithmetic, or a fault that is none.
struct Class {
  std::string name;
  const diagnosis::Hypothesis* hypothesis = nullptr;
};

std::vector<Class> all_classes() {
  std::vector<Class> list;
  for (const auto& h : diagnosis::hypotheses()) list.push_back({h.name, &h});
  for (const std::string_view name : plantable()) list.push_back({std::string(name), nullptr});
  return list;
}

void run_trial(const Class& c, std::uint64_t i, std::uint64_t seed, std::uint64_t networks,
               Tallies& part) {
  if (c.hypothesis == nullptr)
    part.both.add(planted_trial(seed, c.name), c.name);
  else if (i >= networks)
    part.unknown_order.add(naming_trial(seed, *c.hypothesis, Shown::unknown_order), c.name);
  else if (i % 5 == 4)
    part.difference.add(naming_trial(seed, *c.hypothesis, Shown::difference), c.name);
  else
    part.both.add(naming_trial(seed, *c.hypothesis, Shown::both), c.name);
}

Tallies run_class(const Class& c, std::size_t number, const Options& options) {
  std::atomic<std::uint64_t> next{0};
  // A unit's order is its own.
  const bool ordered = c.hypothesis == nullptr || c.hypothesis->arithmetic.unit.block != 0;
  const std::uint64_t extra = ordered ? 0 : options.networks / 10;
  std::vector<Tallies> parts(options.jobs);
  std::vector<std::thread> threads;
  for (Tallies& part : parts)
    threads.emplace_back([&] {
      for (std::uint64_t i = next++; i < options.networks + extra; i = next++) {
        const std::uint64_t seed = (options.seed << 40) + (number << 32) + i;
        run_trial(c, i, seed, options.networks, part);
      }
    });
  for (std::thread& t : threads) t.join();
  Tallies all;
  for (const Tallies& part : parts) all.add(part);
  return all;
}

void print(const std::string& name, const Tallies& t, bool faults) {
  const Tally known = t.known();
  fmt::print("{:<18}{:>8.2f}{:>8.2f}{:>8.2f}{:>8.2f}{:>9.2f}{:>9.1f}{:>8.1f}{:>9.2f}\n", name,
             100 * known.share(known.right), 100 * t.both.share(t.both.right),
             100 * t.difference.share(t.difference.right), 100 * known.share(known.strict),
             100 * t.unknown_order.share(t.unknown_order.right), 100 * known.share(known.unchanged),
             known.share(known.named), 1e3 * known.seconds / static_cast<double>(known.total));
  if (faults) {
    for (const std::string& f : t.both.faults) fmt::print("    both: {}\n", f);
    for (const std::string& f : t.difference.faults) fmt::print("    difference: {}\n", f);
    for (const std::string& f : t.unknown_order.faults) fmt::print("    unknown: {}\n", f);
  }
  fflush(stdout);
}

nlohmann::json to_json(const Tally& t) {
  return {{"right", t.right},
          {"total", t.total},
          {"right_in_the_order_used", t.strict},
          {"unchanged", t.unchanged},
          {"milliseconds", t.total == 0 ? 0 : 1e3 * t.seconds / static_cast<double>(t.total)}};
}

std::string per_cent(const Tally& t, std::uint64_t n) {
  return t.total == 0 ? "" : fmt::format("{:.1f}", 100 * t.share(n));
}

/// The confusion matrix, whose rows are nearly empty, as a list of what else was named first.
std::string to_markdown(const std::vector<std::pair<std::string, Tallies>>& all) {
  std::string text =
      "| class | right | named otherwise | in the order used, % | unknown order, % |\n"
      "|---|---|---|---|---|\n";
  for (const auto& [name, t] : all) {
    const Tally known = t.known();
    std::string others;
    for (const auto& [other, n] : known.first)
      if (other != name) others += fmt::format("{}{} {}", others.empty() ? "" : ", ", n, other);
    text += fmt::format("| {} | {} of {} | {} | {} | {} |\n", name, known.right, known.total,
                        others, per_cent(known, known.strict),
                        per_cent(t.unknown_order, t.unknown_order.right));
  }
  return text;
}

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  if (file << text << std::flush) return true;
  fmt::print(stderr, "naming: cannot write {}\n", path);
  return false;
}

int run(const Options& options) {
  const std::vector<Class> classes = all_classes();
  fmt::print(
      "{} networks a class, seed {}; per cent right\n{:<18}{:>8}{:>8}{:>8}{:>8}{:>9}{:>9}"
      "{:>8}{:>9}\n",
      options.networks, options.seed, "class", "right", "both", "diff", "strict", "unknown",
      "no change", "named", "ms");
  std::vector<std::pair<std::string, Tallies>> all;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::string& name = classes[i].name;
    if (!options.only.empty() &&
        std::find(options.only.begin(), options.only.end(), name) == options.only.end())
      continue;
    all.emplace_back(name, run_class(classes[i], i, options));
    print(name, all.back().second, options.faults);
  }
  if (all.empty()) {
    fmt::print(stderr, "naming: no class of that name; there are");
    for (const auto& c : classes) fmt::print(stderr, " '{}'", c.name);
    fmt::print(stderr, "\n");
    return 2;
  }
  nlohmann::json j;
  bool good = true;
  for (const auto& [name, t] : all) {
    const Tally known = t.known();
    j["classes"][name] = to_json(known);
    j["confusion"][name] = known.first;
    j["both_results"][name] = to_json(t.both);
    j["difference_alone"][name] = to_json(t.difference);
    if (t.unknown_order.total != 0) j["unknown_order"][name] = to_json(t.unknown_order);
    good = good && known.share(known.right) >= 0.98;
  }
  if (!options.json.empty() && !write(options.json, j.dump(2) + "\n")) return 4;
  if (!options.markdown.empty() && !write(options.markdown, to_markdown(all))) return 4;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace ulpfuzz::bench

int main(int argc, char** argv) {
  ulpfuzz::bench::Options o;
  CLI::App app{
      "How often `explain` names the right cause: random networks, each computed as a class says.\n"
      "Example: bench/naming --json naming.json --networks 3000"};
  app.add_option("--networks", o.networks, "of each class")->capture_default_str();
  app.add_option("--class", o.only, "only this class; repeatable");
  app.add_option("--jobs", o.jobs, "threads")->capture_default_str()->check(CLI::Range(1, 256));
  app.add_option("--seed", o.seed)->capture_default_str();
  app.add_option("--json", o.json, "file for the results");
  app.add_option("--markdown", o.markdown, "file for the confusion matrix, as a table");
  app.add_flag("--faults", o.faults, "show cases that were not named right");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return ulpfuzz::bench::run(o);
}
