#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "failure_words.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "ulpfuzz/runner/json_text.hpp"
#include "words.hpp"

namespace ulpfuzz::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_of_a_text = 2000;

std::string text_of(std::string_view text) { return shortened(text, most_of_a_text); }

Json message(std::string_view text) { return {{"text", text_of(text)}}; }

std::string rule_of(const Bucket& b) {
  return one_line(fmt::format("{}/{}", b.property, b.failure_class));
}

/// "BatchedVsSlicedBeyondBound", as the standard asks names of rules to be.
std::string pascal_case(std::string_view words) {
  std::string name;
  bool first = true;
  for (const char c : words) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter) name += first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    first = !letter;
  }
  return name.empty() ? "Unnamed" : name;
}

Json rule(const Bucket& b) {
  const Property* property = properties::find(b.property);
  const std::string claim(property == nullptr ? "a claim of " + b.property : property->claim);
  const std::string meaning(meaning_of(failure_class_from(b.failure_class)));
  return {{"id", rule_of(b)},
          {"name", pascal_case(b.property + " " + b.failure_class)},
          {"shortDescription", message(fmt::format("{}: {}", b.property, meaning))},
          {"fullDescription", message(fmt::format("What must hold: {}. Here {}.", claim, meaning))},
          {"help", message(fmt::format(
                       "What must hold: {}. Here {}. Run `ulpfuzz explain CASE` to see where "
                       "the paths part and what the case needs, `ulpfuzz repro CASE` for a "
                       "program that shows it without ulpfuzz.",
                       claim, meaning))},
          {"defaultConfiguration", {{"level", "error"}}}};
}

Json location(const Bucket& b) {
  const std::string uri = b.case_file.empty() ? "summary.json" : uri_of(b.case_file);
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", uri}, {"uriBaseId", "NIGHT"}}},
            {"region", {{"startLine", 1}}}}},
          {"logicalLocations", Json::array({{{"name", one_line(b.subject)}, {"kind", "module"}}})}};
}

const char* level_of(BucketState state) {
  if (wants_attention(state)) return "error";
  return state == BucketState::known ? "warning" : state == BucketState::flaky ? "note" : "none";
}

const char* baseline_of(const NightBucket& b) {
  if (b.state == BucketState::fixed) return "absent";
  const bool seen = b.state == BucketState::open || b.state == BucketState::known ||
                    (b.state == BucketState::flaky && b.nights > 1);
  return seen ? "unchanged" : "new";
}

/// 0 to 100, what to look at first: 40 for a difference just beyond its bound, 5 more each octave;
/// what is no matter of size, as a crash, has 90.
double rank_of(const NightBucket& b) {
  if (!wants_attention(b.state)) return b.state == BucketState::known ? 20 : 10;
  const bool by_size = failure_class_from(b.bucket.failure_class) == FailureClass::beyond_bound;
  if (!by_size || !std::isfinite(b.bucket.share)) return 90;
  return std::clamp(40 + 5 * std::log2(std::max(b.bucket.share, 1.0)), 40.0, 90.0);
}

Json properties_of(const NightBucket& b) {
  Json all{{"bucket", one_line(b.bucket.id)},
           {"state", name(b.state)},
           {"share", json_number(b.bucket.share)},
           {"class", one_line(b.bucket.failure_class)},
           {"nights", b.nights}};
  const auto add = [&all](const char* key, const std::string& value) {
    if (!value.empty()) all[key] = text_of(value);
  };
  add("cause", b.bucket.cause);
  add("firstOp", b.bucket.first_op);
  add("foundIn", b.found_in);
  add("firstSeen", b.first_seen);
  add("owner", b.owner);
  add("minimal", b.minimal);
  add("boundary", b.boundary);
  add("replay", replay_command(b));
  return all;
}

Json result(const NightBucket& b, std::size_t rule_index) {
  Json all{{"ruleId", rule_of(b.bucket)},
           {"ruleIndex", rule_index},
           {"kind", b.state == BucketState::fixed ? "pass" : "fail"},
           {"level", level_of(b.state)},
           {"message", message(fmt::format("{}: {} on {}: {}", state_text(b), b.bucket.property,
                                           b.bucket.subject, b.bucket.reason))},
           {"locations", Json::array({location(b.bucket)})},
           {"partialFingerprints", {{"ulpfuzzBucket/v1", one_line(b.bucket.id, 1000)}}},
           {"baselineState", baseline_of(b)},
           {"rank", rank_of(b)}};
  if (b.bucket.count > 0) all["occurrenceCount"] = b.bucket.count;
  if (b.state == BucketState::known)
    all["suppressions"] =
        Json::array({{{"kind", "external"},
                      {"status", "accepted"},
                      {"justification",
                       text_of(state_text(b) + (b.comment.empty() ? "" : ": " + b.comment))}}});
  all["properties"] = properties_of(b);
  return all;
}

Json invocation(const Night& night) {
  Json all{{"executionSuccessful", !night.running && night.errors.empty() && night.exit_code != 4}};
  if (!night.running) all["exitCode"] = night.exit_code;
  if (has_form(night.date, "0000-00-00T00:00:00Z")) all["startTimeUtc"] = night.date;
  Json told = Json::array();
  for (const std::string& error : night.errors)
    told.push_back({{"level", "error"}, {"message", message(error)}});
  if (!told.empty()) all["toolExecutionNotifications"] = told;
  return all;
}

Json driver(const Night& night) {
  Json all{{"name", "ulpfuzz"}};
  const auto version = night.environment.machine.find("ulpfuzz");
  if (version != night.environment.machine.end() && !version->second.empty())
    all["version"] = one_line(version->second);
  return all;
}

}  // namespace

std::string to_sarif(const Night& night) {
  std::map<std::string, std::pair<std::size_t, Json>> rules;
  for (const NightBucket& b : night.buckets)
    rules.try_emplace(rule_of(b.bucket), 0, rule(b.bucket));
  Json listed = Json::array();
  for (auto& [id, entry] : rules) {
    entry.first = listed.size();
    listed.push_back(entry.second);
  }
  Json results = Json::array();
  for (const NightBucket& b : night.buckets)
    results.push_back(result(b, rules.at(rule_of(b.bucket)).first));
  Json tool = driver(night);
  tool["rules"] = listed;
  Json run{{"tool", {{"driver", tool}}},
           {"automationDetails",
            {{"id", "ulpfuzz/" + one_line(night.id)}, {"description", message(headline(night))}}},
           {"invocations", Json::array({invocation(night)})},
           {"originalUriBaseIds",
            {{"NIGHT", {{"description", {{"text", "folder of the night's reports"}}}}}}},
           {"columnKind", "utf16CodeUnits"},
           {"results", results}};
  const Json all{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                 {"version", "2.1.0"},
                 {"runs", Json::array({run})}};
  return dump(all, 1) + "\n";
}

}  // namespace ulpfuzz::report
