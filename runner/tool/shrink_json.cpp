#include <nlohmann/json.hpp>

#include "shrink_report.hpp"
#include "ulpfuzz/runner/json_text.hpp"

// {"format": "ulpfuzz-shrink", "version": 1, "file", "property", "subject", "claim", "bitwise",
//  "confirm": [wanted, tried],
//  "before": CASE, "minimal": CASE or null, "severe": CASE or null,
//  "ladder": [{"octave", ...CASE}], "neighbour": {"edit", "case"} or null,
//  "evaluations", "recalled", "accepted", "slips", "seconds", "stop",
//  "passes": [{"name", "tried", "accepted"}],
//  "slipped": [{"bucket", "reason", "files"}],
//  "boundaries": [{"what", "text", "fails", "passes"}],
//  "components": [{"name", "weight", "tried", "failed"}],
//  "layers": [{"op", "verdict", "share"}], "first_op", "unfinished", "journal", "exit_code"}
// CASE: {"case": one line, "hash", "file", "class", "cause", "reason", "share", "complexity"}

namespace ulpfuzz::tool {
namespace {

using json = nlohmann::ordered_json;

json case_json(const Case& c, const Verdict& v, const std::filesystem::path& file) {
  return {{"case", describe(c)},
          {"hash", content_hash(c)},
          {"file", file.string()},
          {"class", name(v.failure)},
          {"cause", v.cause},
          {"reason", v.reason},
          {"share", json_number(v.share)},
          {"complexity", generators::complexity(c)}};
}

json ladder_json(const ShrinkReport& r) {
  json all = json::array();
  for (std::size_t i = 0; i < r.result.ladder.size(); ++i) {
    const Rung& rung = r.result.ladder[i];
    json item = {{"octave", rung.octave}};
    item.update(case_json(rung.least.value, rung.least.verdict,
                          i < r.files.rungs.size() ? r.files.rungs[i] : std::filesystem::path()));
    all.push_back(std::move(item));
  }
  return all;
}

json slipped_json(const ShrinkReport& r) {
  json all = json::array();
  for (const auto& [bucket, slips] : r.slips.buckets()) {
    json files = json::array();
    if (const auto at = r.files.slips.find(bucket); at != r.files.slips.end())
      for (const auto& path : at->second) files.push_back(path.string());
    all.push_back({{"bucket", bucket},
                   {"reason", slips.front().found.verdict.reason},
                   {"files", std::move(files)}});
  }
  return all;
}

void add_findings(json& j, const Findings& f) {
  j["boundaries"] = json::array();
  for (const Boundary& b : f.boundaries)
    j["boundaries"].push_back(
        {{"what", b.what}, {"text", b.text}, {"fails", b.fails}, {"passes", b.passes}});
  j["components"] = json::array();
  for (const Component& c : f.dissection.components)
    j["components"].push_back(
        {{"name", c.name}, {"weight", name(c.weight)}, {"tried", c.tried}, {"failed", c.failed}});
  j["layers"] = json::array();
  for (const LayerShare& l : f.dissection.layers)
    j["layers"].push_back(
        {{"op", l.op}, {"verdict", name(l.outcome)}, {"share", json_number(l.share)}});
  j["first_op"] = f.dissection.first_op;
  j["unfinished"] = f.unfinished;
}

}  // namespace

std::string shrink_json(const ShrinkReport& r, int code) {
  const ShrinkResult& s = r.result;
  json j = {{"format", "ulpfuzz-shrink"},
            {"version", 1},
            {"file", r.file.string()},
            {"property", r.property.name},
            {"subject", r.subject.name()},
            {"claim", r.claim},
            {"bitwise", r.bitwise},
            {"confirm", {r.confirmation.wanted, r.confirmation.tried}},
            {"before", case_json(r.given.value, s.before, r.file)},
            {"minimal", nullptr},
            {"severe", nullptr},
            {"ladder", ladder_json(r)},
            {"neighbour", nullptr},
            {"evaluations", s.evaluations},
            {"recalled", s.recalled},
            {"accepted", s.accepted},
            {"slips", s.slips},
            {"seconds", s.seconds},
            {"stop", name(s.stop)},
            {"passes", json::array()},
            {"slipped", slipped_json(r)}};
  if (s.verdict.failed()) j["minimal"] = case_json(s.value, s.verdict, r.files.minimal);
  if (s.severe) j["severe"] = case_json(s.severe->value, s.severe->verdict, r.files.severe);
  if (s.neighbour)
    j["neighbour"] = {{"edit", s.neighbour->edit}, {"case", describe(s.neighbour->value)}};
  for (const PassCount& p : s.passes)
    j["passes"].push_back({{"name", p.name}, {"tried", p.tried}, {"accepted", p.accepted}});
  add_findings(j, r.findings);
  j["journal"] = r.journal;
  j["exit_code"] = code;
  return dump(j, 2) + "\n";
}

}  // namespace ulpfuzz::tool
