#pragma once

#include "session.hpp"

namespace ulpfuzz::nightly {

/// Each does one phase of the night and leaves its state, its numbers and a note in
/// Session::phase(). A phase that is done already, before --resume, is not done again.

/// Good subjects must be silent and planted faults be caught. False: it cannot be trusted tonight,
/// and why is among the errors.
bool self_check(Session& session);
/// What must pass: files of regressions, and the kept cases of buckets from earlier nights.
void regressions(Session& session);
/// The distilled corpus, each case three times: once judged, twice for its features.
void replay_corpus(Session& session);
/// Random generation, search and libFuzzer by turns.
void explore(Session& session);
/// Makes findings minimal, new and severe ones first, and writes programs that show them.
void shrink(Session& session);
/// Chooses the cases for the next night, into OUT/distilled, and does distil_fuzzing().
void distil(Session& session);
/// A part of that phase: lets libFuzzer's targets choose inputs for the next night, into
/// OUT/fuzzing-kept/TARGET.
void distil_fuzzing(Session& session);

}  // namespace ulpfuzz::nightly
