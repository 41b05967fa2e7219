#pragma once

#include "ulpfuzz/report/night.hpp"
#include "ulpfuzz/runner/members.hpp"

namespace ulpfuzz::report {

// As visit_members of runner/members.hpp has them: the keys of a night's summary.

void visit_members(Self<NightBucket> auto& self, auto&& visit) {
  visit("state", self.state);
  visit_members(self.bucket, visit);
  visit("found_in", self.found_in);
  visit("first_seen", self.first_seen);
  visit("nights", self.nights);
  visit("owner", self.owner);
  visit("until", self.until);
  visit("comment", self.comment);
  visit("minimal", self.minimal);
  visit("boundary", self.boundary);
}

void visit_members(Self<Phase> auto& self, auto&& visit) {
  visit("name", self.name);
  visit("state", self.state);
  visit("budget", self.budget);
  visit("seconds", self.seconds);
  visit("cases", self.cases);
  visit("buckets", self.buckets);
  visit("note", self.note);
}

void visit_members(Self<Sample> auto& self, auto&& visit) {
  visit("phase", self.phase);
  visit_members(self.line, visit);
}

void visit_members(Self<EarlierNight> auto& self, auto&& visit) {
  visit("id", self.id);
  visit("date", self.date);
  visit("exit_code", self.exit_code);
  visit("cases", self.cases);
  visit("cases_per_second", self.cases_per_second);
  visit("share_max", self.share_max);
  visit("stability", self.stability);
  visit("buckets", self.buckets);
}

void visit_members(Self<Night> auto& self, auto&& visit) {
  visit("id", self.id);
  visit("date", self.date);
  visit("exit_code", self.exit_code);
  visit("running", self.running);
  visit("interrupted", self.interrupted);
  visit("seed", self.seed);
  visit("options", self.options);
  visit("seconds", self.seconds);
  visit("cases", self.cases);
  visit("elements", self.elements);
  visit("verdicts", self.verdicts);
  visit("errors", self.errors);
  visit("buckets", self.buckets);
  visit("phases", self.phases);
  visit("regressions", self.regressions);
  visit("pairs", self.pairs);
  visit("stability", self.stability);
  visit("corpus", self.corpus);
  visit("corpus_added", self.corpus_added);
  visit("elements_by_tier", self.elements_by_tier);
  visit("vacuous_reasons", self.vacuous_reasons);
  visit("skip_reasons", self.skip_reasons);
  visit("unavailable", self.unavailable);
  visit("stopped", self.stopped);
  visit("environment", self.environment);
  visit("shards", self.shards);
  visit("trend", self.trend);
  visit("statistics", self.statistics);
  visit("over_time", self.over_time);
}

}  // namespace ulpfuzz::report
