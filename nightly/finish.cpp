#include "finish.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "budget.hpp"
#include "files.hpp"
#include "history.hpp"
#include "ledger.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/nightly/corpus.hpp"
#include "ulpfuzz/nightly/nightly.hpp"
#include "ulpfuzz/report/members.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "ulpfuzz/runner/member_write.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
using report::Night;
using report::Phase;
namespace {

/// Runs it; what it throws becomes an error of the night. True if nothing was.
template <class Step>
bool attempt(Session& session, const Step& step) {
  bool well = false;
  try {
    step();
    well = true;
  } catch (const std::exception& failed) {
    session.error(failed.what());
  }
  session.night().exit_code = exit_code(session.night());
  return well;
}

bool give_states(Session& session) {
  const NightlyOptions& o = session.options();
  Night& night = session.night();
  return attempt(session, [&] {
    classify(night, read_ledger(o.corpus), read_known(known_file(o)), session.passing(), o.out);
    night.trend = history_before(o.corpus, ids_of(night));
  });
}

/// Of several shards, merge() publishes for all. A night that is told to end while another
/// publishes leaves it to --resume: what was done is not what it was for (exit code 5).
bool publish_alone(Session& session) {
  const NightlyOptions& o = session.options();
  if (!o.publish || o.shards != 1) return true;
  bool left = false;
  const bool well = attempt(session, [&] {
    try {
      publish(o.corpus, session.night(), o.out, session.stop_asked());
    } catch (const FolderBusy& busy) {
      if (!session.stopping()) throw;
      left = true;
      session.night().interrupted = true;
      session.phase("report").state = Phase::State::cut;
      add_note(session.phase("report"),
               fmt::format("not published, as the night was told to end; --resume publishes it: {}",
                           busy.what()));
    }
  });
  return well && !left;
}

bool self_check_failed(Session& session) {
  return session.phase("self-check").state == Phase::State::failed;
}

/// A line of stats.jsonl is as the parts wrote it, with its phase.
void write_statistics(Session& session) {
  std::string text;
  for (const report::Sample& s : session.night().over_time) text += dump(to_member(s)) + "\n";
  try {
    write_file_atomically(session.options().out / "stats.jsonl", text);
  } catch (const FileError& failed) {
    session.error(failed.what());
  }
}

void write_all(Session& session) {
  Night& night = session.night();
  const std::size_t before = night.errors.size();
  write_statistics(session);
  for (const std::string& failed : report::write_reports(night, session.options().out))
    session.error(failed);
  if (night.errors.size() == before) return;
  // Those that can be written are to name the exit code that it is now.
  night.exit_code = exit_code(night);
  report::write_reports(night, session.options().out);
}

}  // namespace

fs::path known_file(const NightlyOptions& options) {
  return options.known.empty() ? options.corpus / "known.json" : options.known;
}

void finish(Session& session) {
  Night& night = session.night();
  const double began = session.elapsed();
  night.interrupted = session.stopping();
  session.use_reserve();
  bool has_states = false;
  if (self_check_failed(session)) {
    night.buckets.clear();
    for (Phase& p : night.phases)
      if (p.state == Phase::State::not_begun) p.state = Phase::State::skipped;
    night.exit_code = exit_code(night);
  } else {
    has_states = give_states(session);
  }
  night.running = false;
  Phase& p = session.phase("report");
  p.state = Phase::State::done;
  p.note.clear();
  p.budget = part_of_report * session.options().seconds;
  p.seconds = session.elapsed() - began;
  night.seconds = session.elapsed();
  write_all(session);
  // After the reports: the corpus may be locked by another night, and who waits may be killed.
  if (has_states && !publish_alone(session)) write_all(session);
  session.save();
}

}  // namespace ulpfuzz::nightly
