#include <fmt/format.h>

#include <algorithm>

#include "budget.hpp"
#include "files.hpp"
#include "finish.hpp"
#include "given.hpp"
#include "phases.hpp"
#include "programs.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/nightly/corpus.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
using report::NightBucket;
namespace {

/// Evaluations of one shrink in a night that counts cases, so that no clock decides, but where
/// candidates hang.
constexpr std::uint64_t evaluations_by_cases = 600;
constexpr double most_by_cases = 60;  // seconds

/// Buckets to work on: those that nobody has seen before first, the severest of them first. What is
/// on the list of known ones is left as it is.
std::vector<const NightBucket*> order(Session& session, const Ledger& ledger,
                                      const std::vector<KnownBucket>& known) {
  const std::string day = session.night().date.substr(0, 10);
  std::vector<const NightBucket*> todo;
  for (const NightBucket& b : session.night().buckets)
    if (!b.bucket.flaky && !is_minimal(b.bucket.case_file) && !b.bucket.case_file.empty())
      todo.push_back(&b);
  const auto rank = [&](const NightBucket* b) {
    const bool quiet = find_known(known, b->bucket.id, day) != nullptr;
    const bool old = find_entry(ledger, b->bucket, {}) != nullptr;
    return std::tuple(quiet, old, -b->bucket.share, b->bucket.id);
  };
  std::stable_sort(todo.begin(), todo.end(),
                   [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
  return todo;
}

/// Only the order depends on it here: spoilt since the night began, it is told at once.
template <class Read>
auto if_readable(Session& session, const Read& read) {
  try {
    return read();
  } catch (const FileError& spoilt) {
    session.error(spoilt.what());
    return decltype(read()){};
  }
}

CampaignOptions options_for(Session& session, const std::vector<const NightBucket*>& todo) {
  CampaignOptions o = session.usual();
  o.subjects.clear();
  for (const NightBucket* b : todo) {
    const fs::path file = session.options().out / b->bucket.case_file;
    try {
      o.given.push_back({file, read_case(file), b->bucket.subject});
      o.subjects.push_back(b->bucket.subject);
    } catch (const FileError& error) {
      session.error(error.what());
    }
  }
  o.properties.clear();  // of their notes
  if (session.by_time()) {
    o.seconds = std::max(1.0, session.left() - session.kept_for_the_end());
    const double each = o.seconds * session.options().jobs / static_cast<double>(todo.size());
    o.shrink_seconds = std::clamp(each, 5.0, 120.0);
    o.shrink_evaluations = CampaignOptions{}.shrink_evaluations;
  } else {
    o.shrink_seconds = most_by_cases;
    o.shrink_evaluations = evaluations_by_cases;
  }
  return o;
}

/// What a minimal case says of itself.
void describe_minimal(Session& session, NightBucket& b) {
  if (b.bucket.case_file.empty()) return;
  try {
    const CaseFile file = read_case(session.options().out / b.bucket.case_file);
    b.minimal = describe(file.value);
    if (const std::string boundary = note_of(file, "boundary"); !boundary.empty())
      b.boundary = boundary;
  } catch (const FileError& error) {
    session.error(error.what());
  }
}

}  // namespace

void shrink(Session& session) {
  report::Phase& p = session.phase("shrink");
  if (session.stopping()) return;
  p.budget = part_of_shrink * session.options().seconds;
  const NightlyOptions& asked = session.options();
  const auto ledger = if_readable(session, [&] { return read_ledger(asked.corpus); });
  const auto known = if_readable(session, [&] { return read_known(known_file(asked)); });
  const auto todo = order(session, ledger, known);
  if (todo.empty()) {
    if (p.state == report::Phase::State::not_begun) {
      p.state = report::Phase::State::skipped;
      p.note = "nothing failed that is not minimal already";
    }
  } else {
    const std::size_t n = todo.size();
    session.say(fmt::format("shrink: {}", counted(n, "bucket")));
    session.campaign("shrink", options_for(session, todo), Fold::findings);
    p.cases += n;
    p.state = session.stopping() ? report::Phase::State::cut : report::Phase::State::done;
  }
  std::size_t minimal = 0;
  for (NightBucket& b : session.night().buckets) {
    describe_minimal(session, b);
    if (is_minimal(b.bucket.case_file)) ++minimal;
  }
  if (p.state != report::Phase::State::skipped)
    p.note = fmt::format("{} of {} buckets have a minimal case", minimal,
                         session.night().buckets.size());
  write_programs(session);
  session.save();
}

}  // namespace ulpfuzz::nightly
