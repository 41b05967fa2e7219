#include "state.hpp"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "members.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/member_read.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;

constexpr int schema = 1;

/// One name for a folder, by whatever path it is called.
std::string place_of(const fs::path& path) {
  if (path.empty()) return {};
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(path, error);
  return (error ? fs::absolute(path) : whole).lexically_normal().string();
}

std::string given_of(const fs::path& path) {
  return path.empty() ? "" : fs::absolute(path).lexically_normal().string();
}

template <class Name>
std::string all_of(const std::vector<fs::path>& paths, const Name& name) {
  std::set<std::string> all;  // in any order
  for (const fs::path& path : paths) all.insert(name(path));
  return fmt::to_string(fmt::join(all, " "));
}

template <class Name>
std::map<std::string, std::string> folders(const NightlyOptions& o, const Name& name) {
  std::map<std::string, std::string> a;
  a["corpus"] = name(o.corpus);
  a["regressions"] = all_of(o.regressions, name);
  a["seeds"] = all_of(o.seeds, name);
  a["known"] = place_of(o.known) == place_of(o.corpus / "known.json") ? "" : name(o.known);
  a["fuzzers"] = name(o.fuzzers);
  return a;
}

/// Where a folder was said to lie; "" for what is no folder, and for none.
std::string given(const std::map<std::string, std::string>& here, const std::string& option) {
  const auto found = here.find(as_given + option);
  return found == here.end() ? "" : found->second;
}

}  // namespace

fs::path state_file(const fs::path& out) {
  const fs::path file = out / "night.json";
  if (!fs::exists(file))
    throw std::invalid_argument(
        fmt::format("{} holds no night (night.json) to go on with; drop --resume, or name the "
                    "folder of the night that was stopped",
                    out.string()));
  return file;
}

State read_state(const std::filesystem::path& file) {
  const json all =
      parsed_json(read_file(file), file.string(),
                  "begin a new night in another --out; findings of this one are under parts/");
  const Place top(file.string());
  expect_schema(all, top, schema);
  State state;
  from_object(all, state, top, {"here"});
  if (const auto here = all.find("here"); here != all.end())  // older nights have none
    from_member(*here, state.here, top.at("here"));
  return state;
}

void write_state(const std::filesystem::path& file, const State& state) {
  json all = to_member(state);
  all["here"] = to_member(state.here);
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

std::map<std::string, std::string> asked_here(const NightlyOptions& o) {
  std::map<std::string, std::string> a = folders(o, place_of);
  for (const auto& [option, place] : folders(o, given_of)) a[as_given + option] = place;
  a["no-publish"] = o.publish ? "" : "given";
  std::erase_if(a, [](const auto& item) { return item.second.empty(); });
  return a;
}

void refuse_other(const State& then, const NightlyOptions& now) {
  const auto here = then.here.empty() ? then.here : asked_here(now);
  std::map<std::string, std::pair<std::string, std::string>> both;  // "" where it is not given
  for (const auto* all : {&then.night.options, &then.here})
    for (const auto& [option, value] : *all) both[option].first = value;
  for (const auto& all : {asked(now), here})
    for (const auto& [option, value] : all) both[option].second = value;
  both["seed"] = {std::to_string(then.night.seed), std::to_string(now.seed)};
  both.erase("jobs");
  std::erase_if(both, [&](const auto& item) {
    const std::string as_said = given(here, item.first);
    return item.first.starts_with(as_given) ||
           (!as_said.empty() && as_said == given(then.here, item.first));
  });
  std::string differ;
  const auto shown = [](const std::string& v) { return v.empty() ? "not given" : v.c_str(); };
  for (const auto& [option, values] : both)
    if (values.first != values.second)
      differ += fmt::format("{}--{} was {}, now {}", differ.empty() ? "" : ", ", option,
                            shown(values.first), shown(values.second));
  if (!differ.empty())
    throw std::invalid_argument(
        fmt::format("{} holds a night with other options: {}; repeat those of that night, or "
                    "drop --resume and choose another --out",
                    now.out.string(), differ));
}

}  // namespace ulpfuzz::nightly
