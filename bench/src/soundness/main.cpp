#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <thread>

#include "soundness/judge.hpp"
#include "soundness/report.hpp"
#include "soundness/sharpness.hpp"
#include "soundness/state.hpp"

namespace ulpfuzz::bench {
namespace {

struct Options {
  double elements = 1e6;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
  std::string json, resume, arithmetics, data;
  std::int64_t only_case = -1;
};

volatile std::sig_atomic_t interrupted = 0;
void interrupt(int) { interrupted = 1; }

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Names in a list with commas; `what` they name.
std::vector<std::string> words(const std::string& list, const std::string& what,
                               const std::vector<std::string>& known) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    result.push_back(list.substr(at, end - at));
    at = end + 1;
    if (std::find(known.begin(), known.end(), result.back()) != known.end()) continue;
    std::string message = "no " + what + " is called '" + result.back() + "'; there are:";
    for (const std::string& name : known) message += " " + name;
    throw std::invalid_argument(message);
  }
  return result;
}

Choice choice(const Options& o) {
  return {words(o.arithmetics, "arithmetic", family_names()),
          words(o.data, "data", {data_names.begin(), data_names.end()})};
}

/// What a state must agree in.
std::string drawn_from(const Options& o) { return o.arithmetics + ";" + o.data; }

/// Cases in turn, by several threads, until enough elements are judged.
class Run {
 public:
  Run(const Options& options, State state)
      : options_(options), choice_(choice(options)), state_(std::move(state)) {
    next_ = state_.below;
  }

  void run() {
    const double start = now(), before = state_.seconds;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < options_.jobs; ++i) threads.emplace_back([this] { work(); });
    for (double saved = start; !finished();) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const std::lock_guard lock(mutex_);
      state_.seconds = before + now() - start;
      if (now() - saved < 3) continue;
      keep();
      saved = now();
    }
    for (std::thread& t : threads) t.join();
    state_.seconds = before + now() - start;
    keep();
  }

  const State& state() const { return state_; }
  bool kept() const { return kept_; }

 private:
  bool finished() const { return ended_ == options_.jobs; }
  void keep() {
    if (!options_.resume.empty()) kept_ = save(state_, options_.resume) && kept_;
  }
  bool enough() {
    const std::lock_guard lock(mutex_);
    return interrupted != 0 ||
           static_cast<double>(state_.tally.total().elements) >= options_.elements;
  }

  void work() {
    while (!enough()) {
      std::uint64_t index = 0;
      {
        const std::lock_guard lock(mutex_);
        while (state_.done(next_)) ++next_;
        index = next_++;
      }
      const Trial trial = make_trial(options_.seed, index, choice_);
      const Findings found = judge_trial(trial, options_.seed ^ index);
      const std::lock_guard lock(mutex_);
      report(trial, index, found);
      state_.tally.add(found.tally);
      state_.finish(index);
    }
    ++ended_;
  }

  void report(const Trial& trial, std::uint64_t index, const Findings& found) {
    if (found.violations.empty() || ++reported_ > 20) return;
    fmt::print(stderr, "bench/soundness --seed {} --case {}{}{}: {}\n", options_.seed, index,
               options_.arithmetics.empty() ? "" : " --arithmetics " + options_.arithmetics,
               options_.data.empty() ? "" : " --data " + options_.data, describe(trial));
    for (const Violation& v : found.violations) fmt::print(stderr, "  {}\n", v.text);
  }

  const Options& options_;
  Choice choice_;
  std::mutex mutex_;
  State state_;
  std::uint64_t next_ = 0;
  unsigned reported_ = 0;
  std::atomic<unsigned> ended_ = 0;
  bool kept_ = true;
};

int one_case(const Options& o) {
  const auto index = static_cast<std::uint64_t>(o.only_case);
  const Trial trial = make_trial(o.seed, index, choice(o));
  fmt::print("{}\n", describe(trial));
  const Findings found = judge_trial(trial, o.seed ^ index);
  for (const Violation& v : found.violations) fmt::print("  {}\n", v.text);
  const Count all = found.tally.total();
  fmt::print("{} elements, {} violations, worst share {:.4f}\n", all.elements, all.violations,
             all.worst);
  return all.violations == 0 ? 0 : 1;
}

int run(const Options& o) {
  if (o.only_case >= 0) return one_case(o);
  State state;
  state.seed = o.seed;
  state.families = drawn_from(o);
  if (!o.resume.empty() && std::filesystem::exists(o.resume)) {
    state = load_state(o.resume);
    if (state.seed != o.seed || state.families != drawn_from(o))
      throw std::invalid_argument(o.resume + " is of --seed " + std::to_string(state.seed) +
                                  " and '" + state.families +
                                  "': give the same --arithmetics and --data, or another file");
  }
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  Run run(o, std::move(state));
  run.run();
  const State& s = run.state();
  print(s.tally, s.seconds);
  const auto alone = sharpness(o.seed, 60);
  fmt::print("largest share of the bound that each op reaches alone\n");
  for (const auto& [op, count] : alone) fmt::print("  {:<22}{:>10.4f}\n", op, count.worst_decided);
  nlohmann::json j = s.tally;
  for (const auto& [op, count] : alone) j["sharpness"][op] = count.worst_decided;
  j["seed"] = s.seed;
  j["seconds"] = s.seconds;
  j["complete"] = interrupted == 0;
  bool written = run.kept();
  if (!o.json.empty()) written = write_file(o.json, j) && written;
  if (!written) fmt::print(stderr, "soundness: cannot write {} {}\n", o.json, o.resume);
  const bool good = s.tally.total().violations == 0 && s.tally.contradicted == 0;
  return !good ? 1 : !written ? 4 : interrupted != 0 ? 130 : 0;
}

}  // namespace
}  // namespace ulpfuzz::bench

int main(int argc, char** argv) {
  ulpfuzz::bench::Options o;
  CLI::App app{
      "Holds an independent evaluator, in all its orders, formulas and arithmetics, against every\n"
      "tier of bounds. Exit code 1: some element is beyond its bound.\n"
      "Example: bench/soundness --elements 1e8 --json soundness.json --resume soundness.state"};
  app.add_option("--elements", o.elements, "judge at least so many")->capture_default_str();
  app.add_option("--seed", o.seed)->capture_default_str();
  app.add_option("--jobs", o.jobs, "threads")->capture_default_str()->check(CLI::Range(1, 256));
  app.add_option("--json", o.json, "file for the results");
  app.add_option("--resume", o.resume,
                 "file that keeps the state, every few seconds; goes on there");
  app.add_option("--arithmetics", o.arithmetics, "only these, with commas");
  app.add_option("--data", o.data, "only these kinds of numbers, with commas");
  app.add_option("--case", o.only_case, "this one alone");
  try {
    app.parse(argc, argv);
    return ulpfuzz::bench::run(o);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "soundness: {}\n", e.what());
    return 2;
  }
}
