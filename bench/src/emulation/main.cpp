#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "emulation/jobs.hpp"

// What emulations cost, as a multiple of plain fp32 in the same loop.
namespace ulpfuzz::bench {
namespace {

struct Options {
  Shape shape;
  std::size_t elements = 4096;
  std::size_t rounds = 9;
  double seconds = 0.05;
  std::string json;
};

nlohmann::json table(const std::string& title, const std::string& unit,
                     const std::vector<Job>& jobs, const Options& o) {
  const std::vector<Timing> timings = time_jobs(jobs, o.rounds, o.seconds);
  fmt::print("\n{}\n| {:<32} | ns | 10^9 {}/s | times as long |\n|---|---|---|---|\n", title, "",
             unit);
  nlohmann::json j;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const Timing& t = timings[i];
    fmt::print("| {:<32} | {:.3f} | {:.2f} | {:.1f} |\n", jobs[i].name, t.nanoseconds,
               1 / t.nanoseconds, t.ratio);
    j[jobs[i].name] = {
        {"nanoseconds", t.nanoseconds}, {"ratio", t.ratio}, {"baseline", jobs[i].baseline}};
  }
  fflush(stdout);
  return j;
}

int run(const Options& o) {
  const Shape& s = o.shape;
  fmt::print(
      "one thread, medians of {} rounds of {} s each; ratios to the first line of a kind, same "
      "round\n"
      "panel: the emulated subject's loops; kernel: block programs on the host\n",
      o.rounds, o.seconds);
  nlohmann::json j = {
      {"shape", {s.m, s.n, s.k}}, {"elements", o.elements}, {"rounds", o.rounds}, {"threads", 1}};
  const std::string shape = fmt::format("{} x {} x {}", s.m, s.n, s.k);
  j["products"] = table("products " + shape, "multiply-adds", product_jobs(s), o);
  j["conversions"] = table(fmt::format("conversions of {} floats", o.elements), "elements",
                           conversion_jobs(o.elements), o);
  j["functions"] = table(fmt::format("functions of {} floats", o.elements), "elements",
                         function_jobs(o.elements), o);
  if (o.json.empty()) return 0;
  std::ofstream file(o.json);
  if (file << j.dump(2) << std::endl) return 0;
  fmt::print(stderr, "emulation: cannot write {}\n", o.json);
  return 4;
}

}  // namespace
}  // namespace ulpfuzz::bench

int main(int argc, char** argv) {
  ulpfuzz::bench::Options o;
  CLI::App app{
      "Multiply-adds per second, one thread, of emulated formats and matmul units, against plain "
      "fp32.\nExample: bench/emulation --json emulation.json"};
  app.add_option("--m", o.shape.m, "rows of a product")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--n", o.shape.n, "its columns")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--k", o.shape.k, "products of each sum")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--elements", o.elements, "of the arrays that are converted")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", o.rounds)->capture_default_str()->check(CLI::PositiveNumber);
  app.add_option("--seconds", o.seconds, "for each line and round")->capture_default_str();
  app.add_option("--json", o.json, "file for the results");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return ulpfuzz::bench::run(o);
}
