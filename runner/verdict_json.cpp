#include "verdict_json.hpp"

#include <bit>

namespace ulpfuzz {

using nlohmann::json;

json to_json(const Verdict& verdict) {
  const ElementEvidence& w = verdict.worst;
  return {{"outcome", static_cast<int>(verdict.outcome)},
          {"failure", static_cast<int>(verdict.failure)},
          {"cause", verdict.cause},
          {"first_op", verdict.first_op},
          {"reason", verdict.reason},
          {"share", json_number(verdict.share)},
          {"elements", verdict.elements},
          {"worst",
           {{"where", w.where},
            {"path_a", w.path_a},
            {"path_b", w.path_b},
            {"a", std::bit_cast<std::uint32_t>(w.a)},
            {"b", std::bit_cast<std::uint32_t>(w.b)},
            {"reference", std::bit_cast<std::uint64_t>(w.reference)},
            {"difference", std::bit_cast<std::uint64_t>(w.difference)},
            {"bound", std::bit_cast<std::uint64_t>(w.bound)},
            {"ulps", w.ulps},
            {"tier", static_cast<int>(w.tier)},
            {"share", json_number(w.share)}}}};
}

Verdict verdict_from(const json& j) {
  Verdict v;
  v.outcome = static_cast<Outcome>(j.at("outcome").get<int>());
  v.failure = static_cast<FailureClass>(j.at("failure").get<int>());
  v.cause = j.at("cause");
  v.first_op = j.at("first_op");
  v.reason = j.at("reason");
  v.share = read_number(j.at("share"));
  v.elements = j.at("elements").get<decltype(v.elements)>();
  const json& w = j.at("worst");
  v.worst.where = w.at("where");
  v.worst.path_a = w.at("path_a");
  v.worst.path_b = w.at("path_b");
  v.worst.a = std::bit_cast<float>(w.at("a").get<std::uint32_t>());
  v.worst.b = std::bit_cast<float>(w.at("b").get<std::uint32_t>());
  v.worst.reference = std::bit_cast<double>(w.at("reference").get<std::uint64_t>());
  v.worst.difference = std::bit_cast<double>(w.at("difference").get<std::uint64_t>());
  v.worst.bound = std::bit_cast<double>(w.at("bound").get<std::uint64_t>());
  v.worst.ulps = w.at("ulps");
  v.worst.tier = static_cast<Tier>(w.at("tier").get<int>());
  v.worst.share = read_number(w.at("share"));
  return v;
}

json to_record(const Verdict& verdict) {
  if (verdict.failed()) return to_json(verdict);
  return {{"o", static_cast<int>(verdict.outcome)},
          {"s", json_number(verdict.share)},
          {"e", verdict.elements},
          {"r", verdict.reason}};
}

Verdict verdict_from_record(const json& j) {
  if (!j.contains("o")) return verdict_from(j);
  Verdict v;
  v.outcome = static_cast<Outcome>(j.at("o").get<int>());
  v.share = read_number(j.at("s"));
  v.elements = j.at("e").get<decltype(v.elements)>();
  v.reason = j.at("r");
  return v;
}

}  // namespace ulpfuzz
