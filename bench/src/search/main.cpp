#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "search/table.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::bench {
namespace {

constexpr const char* about =
    "What feeding shares back brings: random cases, climbing (`ulpfuzz run --search climb`), and "
    "libFuzzer with code\n"
    "coverage alone and with shares, at equal evaluations. On honest subjects: the largest share "
    "of a probabilistic\n"
    "bound; of sound bounds any way soon reaches nearly all, as one rounding may. On faults: "
    "evaluations until the\n"
    "first failure. libFuzzer's lines need its targets (cmake --workflow --preset fuzz). The exit "
    "code is 0 if climbing,\n"
    "and libFuzzer with shares where it ran, fail every fault at least twice as soon as random "
    "cases by the medians\n"
    "of evaluations, and else 1.";

struct Options {
  std::vector<std::string> subjects{"openblas", "fault/cuts_partial_sums"};
  std::string property = "batched_vs_sliced";
  std::uint64_t evaluations = 200'000, seeds = 5, first_seed = 1;
  std::string targets = ULPFUZZ_FUZZ_TARGETS, json;
  std::vector<std::string> ways;
};

bool chosen(const Options& o, Way way) {
  return o.ways.empty() || std::any_of(o.ways.begin(), o.ways.end(), [way](const auto& start) {
           return name(way).find(start) != std::string_view::npos;
         });
}

Row run(Way way, Search s, const Options& o) {
  Row row{way, {}, {}};
  for (std::uint64_t i = 0; i < o.seeds && row.why_not.empty(); ++i) {
    s.seed = o.first_seed + i;
    if (way == Way::random || way == Way::climb) {
      row.found.push_back(search_here(way, s));
    } else if (const auto found = search_by_fuzzer(way, s, o.targets)) {
      row.found.push_back(*found);
    } else {
      row.why_not =
          fmt::format("no target in {}; build it: cmake --workflow --preset fuzz", o.targets);
    }
  }
  return row;
}

int run(const Options& o) {
  Registry registry = builtin_subjects();
  registry.merge(planted_faults());
  const Property* property = properties::find(o.property);
  if (property == nullptr) throw std::invalid_argument("no property " + o.property);
  nlohmann::json all = nlohmann::json::array();
  bool clear = true;
  for (const Subject* subject : registry.select(o.subjects)) {
    Table table{property, subject, subject->name().starts_with("fault/"), o.evaluations, {}};
    const Search search{property, subject, o.evaluations, 0, table.faulty};
    for (const Way way : all_ways) {
      if (way != Way::random && !chosen(o, way)) continue;
      table.rows.push_back(run(way, search, o));
      const Row& row = table.rows.back();
      const bool feedback = way == Way::climb || way == Way::feedback;
      if (table.faulty && feedback && !row.found.empty()) clear = clear && is_clear(table, row);
    }
    print(table);
    std::fflush(stdout);
    all.push_back(to_json(table));
  }
  fmt::print("\nfeedback {} random cases clearly\n", clear ? "beats" : "does not beat");
  if (!o.json.empty()) std::ofstream(o.json) << all.dump(2) << '\n';
  return clear ? 0 : 1;
}

}  // namespace
}  // namespace ulpfuzz::bench

int main(int argc, char** argv) {
  ulpfuzz::bench::Options o;
  CLI::App app(ulpfuzz::bench::about, "bench/search");
  app.add_option("--subject", o.subjects, "Subjects, honest and at fault (globs)")
      ->allow_extra_args(false);
  app.add_option("--property", o.property, "What must hold")->capture_default_str();
  app.add_option("--evaluations", o.evaluations, "Most evaluations a seed")->capture_default_str();
  app.add_option("--seeds", o.seeds, "So many seeds")->capture_default_str();
  app.add_option("--first-seed", o.first_seed, "The first of them")->capture_default_str();
  app.add_option("--way", o.ways, "Only ways with this in their name, beside random; repeatable")
      ->allow_extra_args(false);
  app.add_option("--targets", o.targets, "Folder of the libFuzzer targets")->capture_default_str();
  app.add_option("--json", o.json, "Also write all numbers here");
  CLI11_PARSE(app, argc, argv);
  try {
    return ulpfuzz::bench::run(o);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench/search: {}\n", error.what());
    return 4;
  }
}
