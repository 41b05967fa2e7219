#include "ulpfuzz/nightly/nightly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "files.hpp"
#include "finish.hpp"
#include "phases.hpp"
#include "session.hpp"
#include "state.hpp"
#include "ulpfuzz/nightly/corpus.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/replay.hpp"

namespace ulpfuzz::nightly {
namespace {

void refuse(const std::string& what) { throw std::invalid_argument(what); }

void check(const NightlyOptions& o, const Registry& subjects) {
  if (o.out.empty()) refuse("out is empty; a folder for the night would fit");
  if (o.corpus.empty())
    refuse("corpus is empty; a folder that lives from night to night would fit");
  if (!(o.seconds >= 0) || (o.seconds == 0 && o.cases == 0))
    refuse(fmt::format("seconds is {} and cases is {}; a time or a number of cases would fit",
                       o.seconds, o.cases));
  if (o.seconds > 0 && o.cases > 0) refuse("both a time and a number of cases are given; drop one");
  if (o.jobs < 1 || o.jobs > most_jobs)
    refuse(fmt::format("jobs is {}; 1 to {} would fit", o.jobs, most_jobs));
  if (o.shards < 1 || o.shard >= o.shards)
    refuse(fmt::format("shard is {} of {}; 0 to {} would fit", o.shard, o.shards,
                       std::max(1U, o.shards) - 1));
  if (!(o.case_timeout > 0))
    refuse(fmt::format("case_timeout is {}; more than 0 seconds would fit", o.case_timeout));
  select_subjects(subjects, o.subjects);
  select_properties(o.properties);
  for (const auto* folders : {&o.regressions, &o.seeds})
    for (const auto& folder : *folders)
      if (!std::filesystem::is_directory(folder))
        throw FileError(fmt::format("{}: is no folder; name one with case files", folder.string()));
  if (!o.known.empty() && !std::filesystem::exists(o.known))
    throw FileError(
        fmt::format("{}: is not there; a list of known buckets would fit", o.known.string()));
  // What cannot be read is refused now, not in the morning.
  read_known(known_file(o));
  read_ledger(o.corpus);
  file_text(o.corpus / "history.jsonl");  // its lines may be damaged, but it must open
}

/// A phase that cannot be done is an error of the night, not its end.
template <class Do>
bool guarded(Session& session, const char* name, const Do& phase) {
  try {
    phase();
    return true;
  } catch (const std::exception& failed) {
    session.phase(name).state = report::Phase::State::failed;
    session.error(fmt::format("{}: {}", name, failed.what()));
    return false;
  }
}

void work(Session& session) {
  bool trusted = false;
  if (!guarded(session, "self-check", [&] { trusted = self_check(session); }) || !trusted) return;
  guarded(session, "regressions", [&] { regressions(session); });
  guarded(session, "replay", [&] { replay_corpus(session); });
  guarded(session, "search", [&] { explore(session); });
  guarded(session, "shrink", [&] { shrink(session); });
  guarded(session, "distil", [&] { distil(session); });
}

}  // namespace

report::Night run_nightly(const NightlyOptions& options, const Registry& subjects) {
  check(options, subjects);
  if (!options.resume) make_folder(options.corpus);  // or else it may be another's
  Session session(options, subjects);
  work(session);
  finish(session);
  return session.night();
}

BegunNight begun_night(const std::filesystem::path& out) {
  State state = read_state(state_file(out));
  const std::string said = state.here[std::string(as_given) + "fuzzers"];
  return {state.night.seed, said.empty() ? state.here["fuzzers"] : said};
}

}  // namespace ulpfuzz::nightly
