#include "soundness/tally.hpp"

#include <algorithm>

namespace ulpfuzz::bench {

void Count::add(const Count& o) {
  elements += o.elements;
  exact += o.exact;
  unjudged += o.unjudged;
  violations += o.violations;
  probable += o.probable;
  worst = std::max(worst, o.worst);
  worst_decided = std::max(worst_decided, o.worst_decided);
  worst_probable = std::max(worst_probable, o.worst_probable);
}

void Tally::add(const Tally& o) {
  for (const auto& [dimension, counts] : o.by)
    for (const auto& [key, count] : counts) by[dimension][key].add(count);
  cases += o.cases;
  reference_elements += o.reference_elements;
  reference_share = std::max(reference_share, o.reference_share);
  contradicted += o.contradicted;
}

Count Tally::total() const {
  Count all;
  if (const auto tiers = by.find("tier"); tiers != by.end())
    for (const auto& [tier, count] : tiers->second) all.add(count);
  return all;
}

// Infinity has no JSON.
double finite(double x) { return std::min(x, 1e300); }

void to_json(nlohmann::json& j, const Count& c) {
  j = {{"elements", c.elements},
       {"exact", c.exact},
       {"unjudged", c.unjudged},
       {"violations", c.violations},
       {"worst_share", finite(c.worst)},
       {"worst_share_decided", finite(c.worst_decided)},
       {"probabilistic_elements", c.probable},
       {"probabilistic_worst_share", finite(c.worst_probable)}};
}

void from_json(const nlohmann::json& j, Count& c) {
  c.elements = j.at("elements");
  c.exact = j.at("exact");
  c.unjudged = j.at("unjudged");
  c.violations = j.at("violations");
  c.worst = j.at("worst_share");
  c.worst_decided = j.at("worst_share_decided");
  c.probable = j.at("probabilistic_elements");
  c.worst_probable = j.at("probabilistic_worst_share");
}

void to_json(nlohmann::json& j, const Tally& t) {
  const Count all = t.total();
  j = {{"elements", all.elements},
       {"violations", all.violations},
       {"worst_share", finite(all.worst)},
       {"total", all},
       {"by", t.by},
       {"cases", t.cases},
       {"reference",
        {{"elements", t.reference_elements}, {"worst_share", finite(t.reference_share)}}},
       {"contradicted_kinks", t.contradicted}};
}

void from_json(const nlohmann::json& j, Tally& t) {
  t.by = j.at("by").get<decltype(t.by)>();
  t.cases = j.at("cases");
  t.reference_elements = j.at("reference").at("elements");
  t.reference_share = j.at("reference").at("worst_share");
  t.contradicted = j.at("contradicted_kinks");
}

}  // namespace ulpfuzz::bench
