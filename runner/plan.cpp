#include "plan.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "ulpfuzz/runner/replay.hpp"

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
      const bool rare = options.subjects.empty() && subject->name().starts_with("reference/");
      plan.pairs.push_back({property, subject, limits_for(*property, options.limits), rare});
    }
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

Case planned_case(const CampaignOptions& options, const Pair& pair, std::uint64_t i) {
  return generators::case_from_seed(options.seed, options.index.value_or(i), pair.limits);
}

}  // namespace ulpfuzz
