#include "state.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "files.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace {

using nlohmann::json;

constexpr int schema = 1;

}  // namespace

State read_state(const std::filesystem::path& file) {
  const std::string name = file.string();
  const json j = json::parse(read_file(file), nullptr, false);
  try {
    if (j.at("schema").get<int>() != schema)
      throw FileError(
          fmt::format("{}: schema: is {}, and this ulpfuzz knows {}; go on with the "
                      "ulpfuzz that began the night",
                      name, j.at("schema").dump(), schema));
    return {report::night_from_json(j.at("night").dump(), name), j.at("passing"), j.at("folded"),
            j.at("seconds")};
  } catch (const json::exception& error) {
    throw FileError(fmt::format(
        "{}: {}; begin a new night in another --out; findings of this one are under parts/", name,
        error.what()));
  }
}

void write_state(const std::filesystem::path& file, const State& state) {
  const json j = {{"schema", schema},
                  {"seconds", state.seconds},
                  {"folded", state.folded},
                  {"passing", state.passing},
                  {"night", json::parse(report::to_json(state.night))}};
  write_file_atomically(file, j.dump() + "\n");
}

std::map<std::string, std::string> asked(const NightlyOptions& o) {
  std::map<std::string, std::string> a;
  a["subject"] = fmt::to_string(fmt::join(o.subjects, " "));
  a["property"] = fmt::to_string(fmt::join(o.properties, " "));
  a["claim"] = o.claim;
  if (o.seconds > 0) a["time"] = fmt::format("{:g}", o.seconds);
  if (o.cases > 0) a["cases"] = std::to_string(o.cases);
  a["jobs"] = std::to_string(o.jobs);
  a["shard"] = fmt::format("{}/{}", o.shard, o.shards);
  a["timeout"] = fmt::format("{:g}", o.case_timeout);
  a["memory"] = std::to_string(o.memory_limit);
  a["max-batch"] = std::to_string(o.limits.batch);
  a["max-width"] = std::to_string(o.limits.width);
  a["max-depth"] = std::to_string(o.limits.depth);
  std::erase_if(a, [](const auto& item) { return item.second.empty(); });
  return a;
}

void refuse_other(const std::map<std::string, std::string>& then,
                  const std::map<std::string, std::string>& now, const std::string& folder) {
  std::string differ;
  const auto value = [](const std::map<std::string, std::string>& all, const std::string& key) {
    const auto at = all.find(key);
    return at == all.end() ? std::string("not given") : at->second;
  };
  for (const auto* all : {&then, &now})
    for (const auto& [key, ignored] : *all)
      if (key != "jobs" && value(then, key) != value(now, key) &&
          differ.find("--" + key) == differ.npos)
        differ += fmt::format("{}--{} was {}, now {}", differ.empty() ? "" : ", ", key,
                              value(then, key), value(now, key));
  if (!differ.empty())
    throw std::invalid_argument(
        fmt::format("{} holds a night with other options: {}; repeat those of that night, or "
                    "drop --resume and choose another --out",
                    folder, differ));
}

}  // namespace ulpfuzz::nightly
