#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "../output_file.hpp"
#include "../say.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/json_text.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

struct Complexity {
  std::vector<std::filesystem::path> files;
  std::string json;
};

struct Measured {
  std::string file;
  std::vector<std::uint64_t> values;
};

/// One line a component, one column a file.
std::string table(const std::vector<Measured>& all) {
  const auto names = generators::complexity_names();
  std::string text;
  for (std::size_t f = 0; f < all.size(); ++f)
    text += fmt::format("{}{}: {}\n", all.size() > 1 ? "case " : "",
                        all.size() > 1 ? std::to_string(f + 1) : "complexity", all[f].file);
  std::size_t width = 0;
  for (const std::string_view name : names) width = std::max(width, name.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += fmt::format("  {:{}}", names[i], width);
    for (const Measured& m : all) text += fmt::format(" {:>10}", m.values.at(i));
    text += "\n";
  }
  if (all.size() < 2) return text;
  const auto simplest =
      std::min_element(all.begin(), all.end(),
                       [](const Measured& a, const Measured& b) { return a.values < b.values; });
  const auto equal = [&](const Measured& m) { return m.values == simplest->values; };
  if (std::all_of(all.begin(), all.end(), equal)) return text + "equally simple\n";
  return text + fmt::format("simplest, by the first line that differs: {}\n", simplest->file);
}

std::string json_of(const std::vector<Measured>& all, int code) {
  nlohmann::ordered_json j = {{"format", "ulpfuzz-complexity"},
                              {"version", 1},
                              {"names", nlohmann::ordered_json::array()},
                              {"cases", nlohmann::ordered_json::array()},
                              {"exit_code", code}};
  for (const std::string_view name : generators::complexity_names()) j["names"].push_back(name);
  for (const Measured& m : all) j["cases"].push_back({{"file", m.file}, {"complexity", m.values}});
  return dump(j, 2) + "\n";
}

int run(const Complexity& c) {
  for (const auto& file : c.files) check_not_input(c.json, file);
  if (!c.json.empty() && !is_stdout(c.json) && !can_write(c.json)) return infrastructure;
  std::vector<Measured> all;
  int code = 0;
  for (const auto& file : c.files) {
    try {
      all.push_back({file.string(), generators::complexity(read_case(file).value)});
    } catch (const FileError& error) {
      say(stderr, fmt::format("ulpfuzz: {}\n", error.what()));
      code = usage_error;
    }
  }
  if (!all.empty()) answer(is_stdout(c.json) ? stderr : stdout, table(all));
  return write_json(c.json, json_of(all, code)) ? code : infrastructure;
}

}  // namespace

void add_complexity(CLI::App& app, int& code) {
  auto c = std::make_shared<Complexity>();
  CLI::App* verb = app.add_subcommand(
      "complexity", "How complex cases are, in the order by which shrinking calls one simpler");
  verb->add_option("files", c->files, "Case files")->required()->type_name("FILE");
  verb->add_option("--json", c->json, "The same for machines; - is stdout")->type_name("FILE");
  verb->footer(
      "Cases are compared from the first line on; the smaller number is simpler.\n"
      "Example:\n  ulpfuzz complexity big.case.json big.min.case.json");
  verb->callback([c, &code] { code = run(*c); });
}

}  // namespace ulpfuzz::tool
