#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "ulpfuzz/runner/campaign_result.hpp"

namespace ulpfuzz {

template <class T, class Plain>
concept Self = std::same_as<std::remove_const_t<T>, Plain>;

/// The keys of what summaries hold, once, for writing and for reading: visit_members calls
/// visit(key, member) in the order of the file, and visit(key, array, word of an index) for an
/// array that is an object there.
void visit_members(Self<Bucket> auto& self, auto&& visit) {
  visit("id", self.id);
  visit("property", self.property);
  visit("subject", self.subject);
  visit("class", self.failure_class);
  visit("cause", self.cause);
  visit("first_op", self.first_op);
  visit("reason", self.reason);
  visit("count", self.count);
  visit("share", self.share);
  visit("case", self.case_file);
  visit("index", self.index);
  visit("met_in", self.met_in);
  visit("reproduced", self.reproduced);
  visit("tried", self.tried);
  visit("flaky", self.flaky);
  visit("also", self.also);
}

void visit_members(Self<PairCounts> auto& self, auto&& visit) {
  visit("property", self.property);
  visit("subject", self.subject);
  visit("cases", self.cases);
  visit("pass", self.pass);
  visit("fail", self.fail);
  visit("vacuous", self.vacuous);
  visit("skip", self.skip);
  visit("elements", self.elements);
  visit("share_max", self.share_max);
  visit("shares", self.shares);
  visit("rare", self.rare);
}

void visit_members(Self<Statistics> auto& self, auto&& visit) {
  visit("ops", self.ops, [](std::size_t i) { return name(static_cast<Op>(i)); });
  visit("values", self.values, [](std::size_t i) { return name(static_cast<ValueClass>(i)); });
  visit("batches", self.batches);
  visit("slices", self.slices);
  visit("sizes", self.sizes);
  visit("worst", self.worst);
}

void visit_members(Self<StatisticsLine> auto& self, auto&& visit) {
  visit("seconds", self.seconds);
  visit("cases", self.cases);
  visit("elements", self.elements);
  visit("fail", self.fail);
  visit("vacuous", self.vacuous);
  visit("buckets", self.buckets);
  visit("corpus", self.corpus);
  visit("climbing", self.climbing);
  visit("share", self.share);
}

/// But for the environment, which a run has in a form of its own, and the lines over time.
void visit_members(Self<CampaignResult> auto& self, auto&& visit) {
  visit("cases", self.cases);
  visit("elements", self.elements);
  visit("seconds", self.seconds);
  visit("verdicts", self.verdicts);
  visit("buckets", self.buckets);
  visit("time", self.time);
  visit("share_max", self.share_max);
  visit("pairs", self.pairs);
  visit("statistics", self.statistics);
  visit("corpus", self.corpus);
  visit("seeds", self.seeds);
  visit("unreadable_seeds", self.unreadable_seeds);
  visit("elements_by_tier", self.elements_by_tier);
  visit("vacuous_reasons", self.vacuous_reasons);
  visit("skip_reasons", self.skip_reasons);
  visit("unavailable", self.unavailable);
  visit("stopped", self.stopped);
  visit("errors", self.errors);
  visit("out", self.out);
  visit("interrupted", self.interrupted);
  visit("running", self.running);
}

/// As a night has it; a run has the keys of `machine` beside the others.
void visit_members(Self<Environment> auto& self, auto&& visit) {
  visit("machine", self.machine);
  visit("claim", self.claim);
  visit("subjects", self.subjects);
  visit("variables", self.variables);
}

}  // namespace ulpfuzz
