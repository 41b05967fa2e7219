#include "plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "evaluation_size.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz {
namespace {

constexpr int turns_of_common_pairs = 16;  // for one of a rare pair

generators::Limits limits_for(const Property& property, const generators::Limits& asked) {
  if (!property.needs_gradient) return asked;
  const bool plain = asked.kind == generators::Limits::Kind::plain;
  generators::Limits limits =
      plain ? generators::plain_limits(true) : generators::gradient_limits();
  limits.depth = std::min(limits.depth, asked.depth);
  limits.width = std::min(limits.width, asked.width);
  limits.batch = std::min(limits.batch, asked.batch);
  limits.work = std::min(limits.work, asked.work);
  if (asked.jacobian != 0) limits.jacobian = std::min(limits.jacobian, asked.jacobian);
  return limits;
}

bool takes(const CampaignOptions& options, const GivenCase& given, const Property& property) {
  const auto noted = given.content.notes.find("property");
  return !options.properties.empty() || noted == given.content.notes.end() ||
         noted->second.empty() || noted->second == property.name;
}

void plan_given(Plan& plan, const CampaignOptions& options) {
  for (std::uint32_t g = 0; g < options.given.size(); ++g)
    for (std::uint32_t p = 0; p < plan.pairs.size(); ++p) {
      const GivenCase& given = options.given[g];
      if (!takes(options, given, *plan.pairs[p].property)) continue;
      if (!given.subject.empty() && given.subject != plan.pairs[p].subject->name()) continue;
      try {
        check_evaluation_size(given.name.string(), given.content.value, *plan.pairs[p].property);
      } catch (const FileError& error) {
        throw std::invalid_argument(error.what());
      }
      plan.given.push_back({p, g});
    }
  // A pair without a turn is none that judged too little.
  std::vector<Pair> used;
  std::vector<std::uint32_t> place(plan.pairs.size());
  for (std::uint32_t p = 0; p < plan.pairs.size(); ++p) {
    if (std::none_of(plan.given.begin(), plan.given.end(), [&](auto& t) { return t.pair == p; }))
      continue;
    place[p] = static_cast<std::uint32_t>(used.size());
    used.push_back(plan.pairs[p]);
  }
  for (GivenTurn& turn : plan.given) turn.pair = place[turn.pair];
  plan.pairs = std::move(used);
}

}  // namespace

Plan make_plan(const CampaignOptions& options, const Registry& subjects) {
  Plan plan;
  for (const Subject* subject : select_subjects(subjects, options.subjects, options.faults)) {
    if (const auto why = subject->unavailable())
      plan.unavailable.emplace(subject->name(), *why);
    else
      plan.subjects.push_back(subject);
  }
  for (const Property* property : select_properties(options.properties)) {
    for (const Subject* subject : plan.subjects) {
      const bool rare = options.subjects.empty() && options.given.empty() &&
                        subject->name().starts_with("reference/");
      plan.pairs.push_back({property, subject, limits_for(*property, options.limits), rare});
    }
  }
  if (!options.given.empty()) {
    plan_given(plan, options);
    return plan;
  }
  // Every pair has its turn before any has its second.
  plan.turns.resize(plan.pairs.size());
  std::iota(plan.turns.begin(), plan.turns.end(), 0U);
  const bool mixed =
      std::any_of(plan.pairs.begin(), plan.pairs.end(), [](const Pair& p) { return p.rare; }) &&
      std::any_of(plan.pairs.begin(), plan.pairs.end(), [](const Pair& p) { return !p.rare; });
  for (int round = 1; mixed && round < turns_of_common_pairs; ++round)
    for (std::uint32_t p = 0; p < plan.pairs.size(); ++p)
      if (!plan.pairs[p].rare) plan.turns.push_back(p);
  return plan;
}

Case planned_case(const CampaignOptions& options, const Plan& plan, std::uint64_t i) {
  if (!plan.given.empty()) return options.given[plan.given[i].given].content.value;
  return generators::case_from_seed(options.seed, options.index.value_or(i), plan.pair(i).limits);
}

std::uint64_t case_number(const CampaignOptions& options, const Plan& plan, std::uint64_t i) {
  return plan.given.empty() ? options.index.value_or(i) : plan.given[i].given;
}

CheckOptions check_options(const CampaignOptions& options, std::uint64_t number) {
  CheckOptions check = options.check;
  if (!options.given.empty() && noted_bitwise(options.given[number].content)) check.bitwise = true;
  return check;
}

std::string origin_of(const CampaignOptions& o) {
  if (o.given.empty()) return fmt::format("seed {}", o.seed);
  return counted(o.given.size(), "given case");
}

}  // namespace ulpfuzz
