#pragma once

#include "history.hpp"
#include "ledger.hpp"
#include "state.hpp"
#include "ulpfuzz/report/members.hpp"

namespace ulpfuzz::nightly {

// As visit_members of runner/members.hpp has them: the keys of a corpus's files, and of a night's.

/// But for "comment", which may be left out.
void visit_members(Self<KnownBucket> auto& self, auto&& visit) {
  visit("bucket", self.bucket);
  visit("owner", self.owner);
  visit("until", self.until);
}

void visit_members(Self<LedgerEntry> auto& self, auto&& visit) {
  visit("fixed", self.fixed);
  visit("first_seen", self.first_seen);
  visit("last_seen", self.last_seen);
  visit("fixed_in", self.fixed_in);
  visit("returned_in", self.returned_in);
  visit("nights", self.nights);
  visit("property", self.property);
  visit("subject", self.subject);
  visit("class", self.failure_class);
  visit("cause", self.cause);
  visit("first_op", self.first_op);
  visit("reason", self.reason);
  visit("also", self.also);
  visit("minimal", self.minimal);
}

void visit_members(Self<LedgerFile> auto& self, auto&& visit) {
  visit("nights", self.nights);
  visit("buckets", self.buckets);
}

void visit_members(Self<HistoryLine> auto& self, auto&& visit) {
  visit("ids", self.ids);
  visit_members(self.night, visit);
}

/// But for "here".
void visit_members(Self<State> auto& self, auto&& visit) {
  visit("seconds", self.seconds);
  visit("folded", self.folded);
  visit("passing", self.passing);
  visit("night", self.night);
}

}  // namespace ulpfuzz::nightly
