#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "ulpfuzz/bounds/analysis.hpp"
#include "ulpfuzz/core/tensor.hpp"
#include "ulpfuzz/network/derivatives.hpp"
#include "ulpfuzz/subjects/registry.hpp"

// What bounds cost, as a multiple of the evaluation that they judge.
namespace ulpfuzz::bench {
namespace {

struct Options {
  double seconds = 0.2;  // for each measurement
  std::size_t batch = 8;
  std::size_t depth = 3;
  std::string json;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds of one call: the least mean of five series.
double time_of(const std::function<void()>& call, double seconds) {
  call();
  double best = 1e300;
  for (int series = 0; series < 5; ++series) {
    std::size_t calls = 0;
    const double start = now();
    double end = start;
    for (; end - start < seconds / 5; end = now(), ++calls) call();
    best = std::min(best, (end - start) / static_cast<double>(calls));
  }
  return best;
}

struct Setting {
  Network network;
  std::vector<Tensor> parameters;
  std::vector<std::vector<float>> inputs;
  std::size_t batch = 1;

  std::vector<const float*> pointers() const {
    std::vector<const float*> p;
    for (const auto& x : inputs) p.push_back(x.data());
    return p;
  }
};

std::vector<float> random_numbers(std::size_t n, double scale, std::mt19937_64& random) {
  std::normal_distribution<float> normal(0, static_cast<float>(scale));
  std::vector<float> v(n);
  for (float& x : v) x = normal(random);
  return v;
}

/// `depth` linear layers of that width, tanh in between, one input of `batch` rows.
Setting multilayer(std::uint32_t width, const Options& o) {
  std::mt19937_64 random(width);
  Setting s;
  s.batch = o.batch;
  NodeId x = s.network.input(width);
  s.inputs.push_back(random_numbers(o.batch * width, 1, random));
  for (std::size_t l = 0; l < o.depth; ++l) {
    const double scale = 1 / std::sqrt(width);
    s.parameters.emplace_back(width, width,
                              random_numbers(std::size_t{width} * width, scale, random));
    const NodeId w = s.network.parameter(width, width);
    s.parameters.emplace_back(1, width, random_numbers(width, scale, random));
    x = s.network.linear(x, w, s.network.parameter(1, width));
    if (l + 1 < o.depth) x = s.network.activation(Op::tanh, x);
  }
  s.network.output(x);
  return s;
}

/// Gradients with respect to everything, of each row, for one cotangent a row.
Setting gradient_of(Setting s) {
  std::mt19937_64 random(7);
  const std::size_t width = s.network.node(s.network.outputs()[0]).shape.size();
  s.inputs.push_back(random_numbers(s.batch * width, 1, random));
  s.network = vjp(s.network);
  return s;
}

double evaluation(const Setting& s, const Subject& subject, const Options& o) {
  std::vector<std::vector<float>> outputs;
  for (const NodeId id : s.network.outputs()) {
    const Node& n = s.network.node(id);
    outputs.emplace_back(s.network.entries(n, s.batch) * n.shape.size());
  }
  std::vector<float*> to;
  for (auto& y : outputs) to.push_back(y.data());
  const auto from = s.pointers();
  return time_of(
      [&] {
        subject.evaluate({s.network, s.parameters, s.batch, from, to});
      },
      o.seconds);
}

/// Seconds of each way to bound.
std::map<std::string, double> bounding(const Setting& s, bool gradient, const Options& o) {
  bounds::Analysis analysis;
  const auto from = s.pointers();
  const auto run = [&](const Arithmetic& a, const bounds::AnalysisOptions& options = {}) {
    analysis.run(s.network, s.parameters, s.batch, from, a, {}, options);
  };
  const auto elements = [&] {
    for (std::size_t i = 0; i < s.network.outputs().size(); ++i) (void)analysis.output(i);
  };
  Arithmetic tf32;
  tf32.operand = Format::tf32;
  Arithmetic unit = tf32;
  unit.unit = matmul_units::ampere_tf32;
  std::map<std::string, double> t;
  t["run"] = time_of([&] { run({}); }, o.seconds);
  t["run, all elements"] = time_of([&] { run({}), elements(); }, o.seconds);
  t["run, tf32"] = time_of([&] { run(tf32), elements(); }, o.seconds);
  t["run, tf32 unit"] = time_of([&] { run(unit), elements(); }, o.seconds);
  t["conditional, tf32"] =
      time_of([&] { run(tf32, {.conditional = true}), elements(); }, o.seconds);
  t["matrix adjoint"] = time_of([&] { run({}, {.matrix_adjoint = true}), elements(); }, o.seconds);
  t["typical"] = time_of(
      [&] {
        run({});
        for (std::size_t i = 0; i < s.network.outputs().size(); ++i) (void)analysis.typical(i);
      },
      o.seconds);
  if (!gradient)
    t["refine"] = time_of(
        [&] {
          run({});
          for (std::size_t e = 0; e < s.batch; ++e) analysis.refine(e);
        },
        o.seconds);
  return t;
}

nlohmann::json measure(const char* what, const Setting& s, bool gradient, const Options& o) {
  const Registry registry = builtin_subjects();
  nlohmann::json j;
  const double plain = evaluation(s, *registry.find("loops"), o);
  const Subject* blas = registry.find("openblas");
  const double fast = blas ? evaluation(s, *blas, o) : 0;
  j["evaluation_seconds"] = {{"loops", plain}, {"openblas", fast}};
  fmt::print("{}: loops {:.1f} us, openblas {:.1f} us\n", what, 1e6 * plain, 1e6 * fast);
  for (const auto& [name, seconds] : bounding(s, gradient, o)) {
    const double by_blas = blas ? seconds / fast : 0;
    fmt::print("  {:<20}{:>11.1f} us{:>9.1f} x loops{:>9.1f} x openblas\n", name, 1e6 * seconds,
               seconds / plain, by_blas);
    j["bounding"][name] = {
        {"seconds", seconds}, {"of_loops", seconds / plain}, {"of_openblas", by_blas}};
  }
  return j;
}

int run(const Options& o) {
  nlohmann::json j;
  for (const std::uint32_t width : {8u, 16u, 32u, 64u, 128u, 256u}) {
    const Setting forward = multilayer(width, o);
    const std::string key = std::to_string(width);
    j["forward"][key] = measure(fmt::format("forward, width {}", width).c_str(), forward, false, o);
    j["gradient"][key] =
        measure(fmt::format("gradient, width {}", width).c_str(), gradient_of(forward), true, o);
    fflush(stdout);
  }
  j["batch"] = o.batch;
  j["depth"] = o.depth;
  if (o.json.empty()) return 0;
  std::ofstream file(o.json);
  if (file << j.dump(2) << std::endl) return 0;
  fmt::print(stderr, "bounding_cost: cannot write {}\n", o.json);
  return 4;
}

}  // namespace
}  // namespace ulpfuzz::bench

int main(int argc, char** argv) {
  ulpfuzz::bench::Options o;
  CLI::App app{
      "Time to bound a network's elements, as a multiple of the evaluation that is judged.\n"
      "Example: bench/bounding_cost --json bounding_cost.json"};
  app.add_option("--seconds", o.seconds, "for each measurement")->capture_default_str();
  app.add_option("--batch", o.batch, "rows")->capture_default_str()->check(CLI::Range(1, 4096));
  app.add_option("--depth", o.depth, "linear layers")
      ->capture_default_str()
      ->check(CLI::Range(1, 16));
  app.add_option("--json", o.json, "file for the results");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return ulpfuzz::bench::run(o);
}
