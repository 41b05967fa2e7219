#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tightness/tables.hpp"

namespace ulpfuzz::bench {
namespace {

std::string ratio(double r) { return r == 0 ? "-" : fmt::format("{:.3g}", r); }

void print(const Table& table) {
  fmt::print("{}: bound / worst observed, sound | probabilistic (published)\n", table.name);
  std::size_t width = 0;
  for (const Cell& c : table.cells) {
    if (c.width != width) fmt::print("  width {}\n", c.width);
    width = c.width;
    fmt::print("    {:<16}{:>9} |{:>8}   ({} | {}){}\n", c.column, ratio(c.measured.sound),
               ratio(c.measured.probable), ratio(c.published.sound), ratio(c.published.probable),
               c.worse() ? "  WORSE" : "");
  }
}

nlohmann::json to_json(const Table& table) {
  nlohmann::json cells = nlohmann::json::array();
  for (const Cell& c : table.cells)
    cells.push_back({{"width", c.width},
                     {"column", c.column},
                     {"sound", c.measured.sound},
                     {"probabilistic", c.measured.probable},
                     {"elements", c.measured.elements},
                     {"exceeded", c.measured.exceeded},
                     {"published_sound", c.published.sound},
                     {"published_probabilistic", c.published.probable},
                     {"worse", c.worse()}});
  return cells;
}

int run(const Effort& effort, const std::string& json) {
  nlohmann::json all;
  std::size_t worse = 0, exceeded = 0;
  const auto take = [&](const Table& table) {
    print(table);
    fflush(stdout);
    all["tables"][table.name] = to_json(table);
    for (const Cell& c : table.cells) {
      worse += c.worse() ? 1 : 0;
      exceeded += c.measured.exceeded;
    }
  };
  take(dot_table(effort));
  for (const std::size_t depth : {1, 3, 8}) take(network_table(effort, depth));
  take(jacobian_table(effort));
  all["worse_cells"] = worse;
  all["exceeded"] = exceeded;
  fmt::print("{} cells are looser than published; {} errors above a sound bound\n", worse,
             exceeded);
  if (!json.empty()) {
    std::ofstream file(json);
    file << all.dump(2) << '\n';
    if (!file.flush()) {
      fmt::print(stderr, "bench/tightness: {} cannot be written\n", json);
      return 4;
    }
  }
  return exceeded == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ulpfuzz::bench

int main(int argc, char** argv) {
  CLI::App app{
      "How tight are the bounds? Least ratio of bound to observed error over random perceptrons,\n"
      "by width, depth, order of summation and arithmetic, beside published ratios."};
  ulpfuzz::bench::Effort effort;
  effort.widths = {4, 16, 64, 256, 1024, 4096};
  std::string json;
  app.add_option("--widths", effort.widths, "Widths")->delimiter(',');
  app.add_option("--seed", effort.seed, "Seed of networks and inputs");
  app.add_option("--trials", effort.trials, "Times the usual number of networks")
      ->check(CLI::PositiveNumber);
  app.add_option("--json", json, "Write the tables to this file");
  app.footer(
      "Example:\n  bench/tightness --widths 4,16,64 --json tightness.json\n"
      "Exit codes: 0 no sound bound was exceeded; 1 one was; 2 wrong usage; 4 FILE cannot be "
      "written.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const bool terminal = isatty(STDERR_FILENO) == 1;
  effort.progress = [terminal](const std::string& what) {
    if (terminal) fmt::print(stderr, "\r\x1b[K{}", what);
  };
  return ulpfuzz::bench::run(effort, json);
}
