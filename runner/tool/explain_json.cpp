#include <nlohmann/json.hpp>

#include "explain_report.hpp"
#include "ulpfuzz/runner/json_text.hpp"

namespace ulpfuzz::tool {
namespace {

using json = nlohmann::ordered_json;  // in the order of docs/explain.md
using diagnosis::Conclusion;
using diagnosis::Explanation;
using diagnosis::Match;

std::string_view word(Conclusion conclusion) {
  switch (conclusion) {
    case Conclusion::equal:
      return "equal";
    case Conclusion::reordering:
      return "reordering";
    case Conclusion::suspicious:
      return "suspicious";
    case Conclusion::other_cause:
      return "other_cause";
    case Conclusion::undecidable:
      break;
  }
  return "undecidable";
}

json per_layer(const Match& match) { return {{"a", match.a}, {"b", match.b}}; }

json to_json(const Match& match) {
  return {{"hypothesis", match.hypothesis},
          {"per_layer", per_layer(match)},
          {"exact", match.exact},
          {"residual_rms", match.residual_rms},
          {"residual_sigmas", match.residual_sigmas},
          {"correlation", match.correlation}};
}

json to_json(const diagnosis::WorstElement& worst) {
  if (worst.where.empty()) return nullptr;
  return {{"where", worst.where},
          {"difference", worst.difference},
          {"bound", worst.bound},
          {"reference", worst.reference},
          {"ulps", worst.ulps ? json(*worst.ulps) : json(nullptr)}};
}

json rows(const Explanation& e) {
  json list = json::array();
  for (const diagnosis::RowSummary& row : e.rows)
    list.push_back({{"row", list.size()},
                    {"difference_max", row.difference_max},
                    {"bound_max", row.bound_max},
                    {"ratio_max", row.ratio_max}});
  return list;
}

}  // namespace

std::string explanation_json(const Explanation& e, const json& subject) {
  const bool named = !e.matches.empty() && !e.unexplained;
  const bool judged = e.conclusion != Conclusion::undecidable;
  json matches = json::array();
  for (const Match& match : e.matches) matches.push_back(to_json(match));
  const json j = {
      {"verdict", e.verdict},
      {"cause", e.cause},
      {"per_layer", per_layer(named ? e.matches[0] : Match{})},
      {"exact", named ? json(e.matches[0].exact) : json(nullptr)},
      {"elements", e.elements},
      {"residual_rms", named ? json(e.matches[0].residual_rms) : json(nullptr)},
      {"reorder_bound_max", judged ? json(e.reorder_bound_max) : json(nullptr)},
      {"difference_max", e.difference_max},
      {"ratio_max", judged ? json(e.ratio_max) : json(nullptr)},
      {"conclusion", word(e.conclusion)},
      {"differing", e.differing},
      {"worst", to_json(e.worst)},
      {"typical_rms", e.typical_rms},
      {"observed_rms", e.observed_rms},
      {"matches", matches},
      {"wrong_side", e.wrong_side},
      {"remedy", e.remedy},
      {"confidence", e.confidence},
      {"notes", e.notes},
      {"rows", rows(e)},
      {"subject", subject},
  };
  return dump(j, 2) + "\n";
}

}  // namespace ulpfuzz::tool
