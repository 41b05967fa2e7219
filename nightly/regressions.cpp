#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "budget.hpp"
#include "files.hpp"
#include "given.hpp"
#include "phases.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/replay.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr unsigned runs_of_a_failure = 3;

/// What one pass over the phase came to.
struct Tally {
  std::uint64_t files = 0, pass = 0, fail = 0, not_tried = 0;
  bool out_of_time = false;
};

ReplayOptions how(const Session& session) {
  ReplayOptions o;
  o.claim = session.options().claim;
  o.case_timeout = session.options().case_timeout;
  o.memory_limit = session.options().memory_limit;
  o.cancelled = session.stop_asked();
  return o;
}

Bucket bucket_of_row(const Session& session, const ReplayRow& row, const ReplayedCase& r) {
  Bucket b;
  b.id = bucket_id(*properties::find(row.property), *session.subjects().find(row.subject),
                   row.verdict);
  if (!r.claim.empty()) b.id += "-as-" + r.claim;
  b.property = row.property;
  b.subject = row.subject;
  b.failure_class = name(row.verdict.failure);
  b.cause = row.verdict.cause;
  b.first_op = row.verdict.first_op;
  b.reason = row.verdict.reason;
  b.count = 1;
  b.share = row.verdict.share;
  return b;
}

/// A kept case that fails as it did is of the bucket that it was kept for: a minimal one may show
/// too little to name the cause again.
void stay_in_bucket(Bucket& b, const ReplayedCase& r) {
  if (note_of(r.content, "class") != b.failure_class) return;
  b.id = r.file.parent_path().filename().string();
  b.cause = note_of(r.content, "cause");
}

/// The account beside a kept case, if the case is a minimal one, which need not be made again; else
/// empty.
std::string account_of_shrunk(const fs::path& file) {
  const fs::path account = account_of(file);
  if (!fs::exists(account)) return {};
  const std::string text = read_file(account);
  return text.find("shrunk by ") == text.npos ? std::string() : text;
}

/// A failure of the phase as a bucket of the night, run again before it is believed. Its id.
std::string note_failure(Session& session, const fs::path& file, const ReplayedCase& r,
                         const ReplayRow& row, const std::string& found_in) {
  Bucket b = bucket_of_row(session, row, r);
  if (found_in == in_kept_cases) stay_in_bucket(b, r);
  ReplayOptions again = how(session);
  again.subjects = {row.subject};
  again.properties = {row.property};
  const bool slow = row.verdict.failure == FailureClass::hang;
  for (unsigned i = 0; i < (slow ? 1 : runs_of_a_failure) && !session.stopping(); ++i) {
    const ReplayedCase once = replay(file, again, session.subjects());
    if (once.interrupted) break;
    ++b.tried;
    for (const ReplayRow& rerun : once.rows)
      if (rerun.verdict.failed() && rerun.verdict.failure == row.verdict.failure) ++b.reproduced;
  }
  b.flaky = b.tried > 0 && b.reproduced == 0;
  report::Phase& p = session.phase("regressions");
  if (add_bucket(session.night(), b, found_in, Fold::everything)) ++p.buckets;
  session.say(fmt::format("FAIL {}: {}\n  {}", b.id, b.reason, file.string()));
  const std::string account = account_of_shrunk(file);
  const bool minimal = found_in == in_kept_cases && !account.empty();
  const std::string stem = minimal ? "minimal" : content_hash(r.content.value);
  const fs::path to = fs::path(b.flaky ? "findings-flaky" : "findings") / b.id;
  CaseFile kept = r.content;
  kept.notes.erase("expected");
  kept.notes["property"] = b.property;
  kept.notes["subject"] = b.subject;
  kept.notes["class"] = b.failure_class;
  kept.notes["cause"] = b.cause;
  kept.notes["comment"] = b.reason;
  kept.notes["origin"] = fmt::format("ulpfuzz replay {}", file.string());
  const fs::path& out = session.options().out;
  make_folder(out / to);
  write_case(out / to / (stem + ".case.json"), kept);
  write_file_atomically(out / to / (stem + ".txt"), minimal ? account : row.account);
  for (report::NightBucket& known : session.night().buckets)
    if (known.bucket.id == b.id && known.bucket.case_file.empty())
      known.bucket.case_file = to / (stem + ".case.json");
  return b.id;
}

void count(report::Night& night, const Verdict& v) {
  ++night.cases;
  ++night.verdicts[std::string(name(v.outcome))];
  night.elements += v.element_count();
}

/// Replays a file: "pass", "skip" if nothing judged it here, or the id of the bucket it fails with.
std::string replay_file(Session& session, const fs::path& file, const std::string& found_in,
                        Tally& tally) {
  const ReplayedCase r = replay(file, how(session), session.subjects());
  std::string failed;
  bool judged = false;
  for (const ReplayRow& row : r.rows) {
    if (!is_chosen(session, row.subject) || !is_chosen_property(session, row.property)) continue;
    count(session.night(), row.verdict);
    judged = judged || row.verdict.failed() || row.verdict.outcome == Outcome::pass;
    if (!row.verdict.failed()) continue;
    failed = note_failure(session, file, r, row, found_in);
  }
  ++tally.files;
  ++(!failed.empty() ? tally.fail : judged ? tally.pass : tally.not_tried);
  return !failed.empty() ? failed : judged ? "pass" : "skip";
}

class Deadline {
 public:
  Deadline(const Session& session, double seconds) : session_(session), until_(seconds) {
    until_ += session.elapsed();
  }
  bool over() const {
    return session_.stopping() || (session_.by_time() && session_.elapsed() > until_);
  }

 private:
  const Session& session_;
  double until_;
};

/// Regressions that cannot be read are not checked: that is no night to trust.
void replay_regressions(Session& session, Tally& tally, const Deadline& deadline) {
  std::vector<fs::path> folders = session.options().regressions;
  folders.push_back(session.options().corpus / "regressions");
  CaseReader reader(folders, session.stop_asked());
  const std::vector<fs::path> files = names_of(reader);
  for (const std::string& line : reader.unusable()) session.error("regressions: " + line);
  for (const fs::path& file : files) {
    tally.out_of_time = tally.out_of_time || deadline.over();
    if (session.stopping() || tally.out_of_time) return;
    try {
      session.night().regressions[file.string()] =
          replay_file(session, file, std::string(in_regressions), tally);
    } catch (const std::exception& error) {  // too large, or of a subject that is no more
      session.error(fmt::format("regressions: {}: {}", file.string(), error.what()));
    }
  }
}

/// The kept cases of buckets from earlier nights. A bucket passes if all that was kept of it does.
void replay_kept(Session& session, Tally& tally, const Deadline& deadline) {
  std::vector<std::string> unusable;
  for (const fs::path& folder : entries(session.options().corpus / "failing")) {
    bool fixed = true, any = false;
    std::vector<fs::path> files;
    try {
      files = entries(folder);
    } catch (const FileError& unreadable) {  // nobody knows whether these fail
      session.error(fmt::format("regressions: {}", unreadable.what()));
    }
    for (const fs::path& file : files) {
      if (!is_case_file(file)) continue;
      tally.out_of_time = tally.out_of_time || deadline.over();
      if (session.stopping() || tally.out_of_time) return;
      try {
        any = true;
        if (replay_file(session, file, std::string(in_kept_cases), tally) != "pass") fixed = false;
      } catch (const std::exception& error) {
        fixed = false;
        unusable.push_back(error.what());
      }
    }
    if (any && fixed) session.passing().push_back(folder.filename().string());
  }
  tell_unusable(session, "regressions", unusable);
}

}  // namespace

void regressions(Session& session) {
  report::Phase& p = session.phase("regressions");
  if (p.state == report::Phase::State::done || session.stopping()) return;
  const double began = session.elapsed();
  p.budget = part_of_regressions * session.options().seconds;
  const Deadline deadline(session, p.budget);
  Tally tally;
  try {
    replay_regressions(session, tally, deadline);
    const Tally files = tally;
    replay_kept(session, tally, deadline);
    add_note(p, fmt::format("{} regressions: {} fail; {} kept cases: {} fail", files.files,
                            files.fail, tally.files - files.files, tally.fail - files.fail));
  } catch (const FileError& failed) {
    session.error(failed.what());
  }
  if (tally.not_tried > 0) add_note(p, fmt::format("{} could not be judged here", tally.not_tried));
  p.cases = tally.files;
  p.seconds += session.elapsed() - began;
  p.state = session.stopping() || tally.out_of_time ? report::Phase::State::cut
                                                    : report::Phase::State::done;
  if (tally.out_of_time && !session.stopping())
    session.error("regressions: the time was not enough for all of them; give the night more");
  session.save();
}

}  // namespace ulpfuzz::nightly
