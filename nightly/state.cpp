#include "state.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "members.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/member_read.hpp"

namespace ulpfuzz::nightly {
namespace {

using nlohmann::json;

constexpr int schema = 1;

}  // namespace

State read_state(const std::filesystem::path& file) {
  const json all =
      parsed_json(read_file(file), file.string(),
                  "begin a new night in another --out; findings of this one are under parts/");
  const Place top(file.string());
  expect_schema(all, top, schema);
  State state;
  from_member(all, state, top);
  return state;
}

void write_state(const std::filesystem::path& file, const State& state) {
  json all = to_member(state);
  all["schema"] = schema;
  write_file_atomically(file, dump(all) + "\n");
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
