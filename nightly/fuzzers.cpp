#include "fuzzers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "files.hpp"
#include "given.hpp"
#include "program_run.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/replay.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

/// Seconds that a target may take to end after its time: the case in hand, which libFuzzer looks at
/// every half of its time-out, and writing.
double patience(const NightlyOptions& o) { return 1.5 * o.case_timeout + 5; }
constexpr int timeout_code = 70, memory_code = 71;  // libFuzzer's exit codes

std::vector<std::string> command_of(const Session& session, const fs::path& target,
                                    const fs::path& home, const fs::path& corpus,
                                    std::uint64_t seed, double seconds, std::uint64_t runs) {
  const NightlyOptions& o = session.options();
  std::vector<std::string> words{
      fs::absolute(target).string(),
      fmt::format("-artifact_prefix={}/", home.string()),
      fmt::format("-seed={}", 1 + seed % 0x7ffffffe),
      "-print_final_stats=1",
      fmt::format("-timeout={}", std::max(1, static_cast<int>(o.case_timeout))),
      fmt::format("-rss_limit_mb={}", o.memory_limit)};
  if (runs > 0) words.push_back(fmt::format("-runs={}", runs));
  if (seconds > 0)
    words.push_back(fmt::format("-max_total_time={}", std::max(1, static_cast<int>(seconds))));
  words.push_back(corpus.string());
  std::vector<fs::path> more = o.seeds;
  more.push_back(o.corpus / "seeds");
  more.push_back(o.corpus / "distilled");
  for (const fs::path& folder : more)
    if (fs::is_directory(folder)) words.push_back(fs::absolute(folder).string());
  return words;
}

std::map<std::string, std::string> surroundings_of(const Session& session, const fs::path& home) {
  std::map<std::string, std::string> env{
      {"ULPFUZZ_ON_FAILURE", "collect"},
      {"ULPFUZZ_FINDINGS", (home / "findings").string()},
      {"ULPFUZZ_STATISTICS", (home / "statistics.json").string()}};
  if (!session.options().subjects.empty())
    env["ULPFUZZ_SUBJECTS"] = fmt::to_string(fmt::join(session.options().subjects, " "));
  return env;
}

/// "batched_vs_sliced" of fuzz_batched_vs_sliced
std::string property_of(const fs::path& target) {
  return target.filename().string().substr(std::string_view("fuzz_").size());
}

std::uint64_t executions_of(const fs::path& home) {
  try {
    const auto j = nlohmann::json::parse(read_file(home / "statistics.json"), nullptr, false);
    return j.is_object() ? j.value("executions", std::uint64_t{0}) : 0;
  } catch (const std::exception&) {
    return 0;
  }
}

/// Runs what the targets wrote down again, as given cases.
void confirm(Session& session, const fs::path& part) {
  std::vector<fs::path> folders;
  for (const fs::path& home : entries(part)) folders.push_back(home / "findings");
  Collected found = collect(folders, session.stop_asked());
  keep_what_is_tried(session, "libFuzzer", found.cases);
  if (found.cases.empty()) return;
  CampaignOptions o = session.usual();
  o.subjects.clear();
  o.properties.clear();  // of their notes
  for (const GivenCase& c : found.cases) o.subjects.push_back(c.subject);
  o.given = std::move(found.cases);
  session.campaign("libFuzzer", o, Fold::findings);
}

/// Inputs that ended a target: they crash, hang or grow there, and so perhaps in a worker, too.
std::vector<GivenCase> artifacts(const fs::path& home, const std::string& property) {
  std::vector<GivenCase> found;
  for (const fs::path& file : entries(home)) {
    const std::string name = file.filename().string();
    if (!name.starts_with("crash-") && !name.starts_with("oom-") && !name.starts_with("timeout-"))
      continue;
    try {
      GivenCase c{file, read_case(file)};
      c.content.notes["property"] = property;
      found.push_back(std::move(c));
    } catch (const FileError&) {  // no case, which is what decoding makes of any bytes
    }
  }
  return found;
}

/// What ended a target before its time: of a subject, then some worker sees it, too, or of its own.
void look_at_ending(Session& session, const ProgramEnding& ending, const fs::path& home,
                    const std::string& property) {
  const bool well = ending.how == ProgramEnding::How::stopped ||
                    (ending.how == ProgramEnding::How::exited && ending.code == 0);
  if (well) return;
  const std::string text = fmt::format("{} {}; its log: {}", home.filename().string(),
                                       ending.text(), (home / "log").string());
  CampaignOptions o = session.usual();
  o.properties.clear();  // of their notes
  o.given = artifacts(home, property);
  const CampaignResult r =
      o.given.empty() ? CampaignResult{} : session.campaign("libFuzzer", o, Fold::findings);
  // All subjects together took too long or too much there, and none of them does alone.
  const bool limits = ending.code == timeout_code || ending.code == memory_code;
  if (r.buckets.empty() && !limits && !session.stopping())
    session.error(fmt::format("libFuzzer: {}", text));
  else
    add_note(session.phase("libFuzzer"), text);
}

}  // namespace

Fuzzers find_fuzzers(const Session& session) {
  Fuzzers f;
  const NightlyOptions& o = session.options();
  if (o.fuzzers.empty()) {
    f.why_not = "no libFuzzer targets were given (--fuzzers)";
    return f;
  }
  if (!o.claim.empty()) {
    f.why_not = "libFuzzer targets judge by what subjects claim, not by --claim";
    return f;
  }
  for (const Property* p : select_properties(o.properties)) {
    const fs::path target = o.fuzzers / fmt::format("fuzz_{}", p->name);
    if (access(target.c_str(), X_OK) == 0 && fs::is_regular_file(target))
      f.targets.push_back(target);
  }
  if (f.targets.empty())
    f.why_not = fmt::format("{} has no program fuzz_PROPERTY", o.fuzzers.string());
  return f;
}

std::uint64_t Fuzzers::turn(Session& session, double seconds, std::uint64_t runs) {
  const NightlyOptions& o = session.options();
  const fs::path part = fs::absolute(session.fresh_part("libFuzzer"));
  const std::uint64_t k = session.parts_of("libFuzzer");
  const std::size_t jobs = std::max(1U, o.jobs);
  const std::size_t batches = (targets.size() + jobs - 1) / jobs;
  // All turns of a night go on from one corpus.
  const fs::path corpora = fs::absolute(o.out) / "fuzzing";
  const auto kept = [&] {
    std::uint64_t n = 0;
    for (const fs::path& target : targets) n += entries(corpora / target.filename()).size();
    return n;
  };
  const std::uint64_t before = kept();
  report::Phase& p = session.phase("libFuzzer");
  // Several of one target share a corpus, and see what the others keep.
  const std::size_t instances = std::max(jobs, targets.size());
  for (std::size_t first = 0; first < instances && !session.stopping(); first += jobs) {
    std::vector<ProgramRun> running;
    std::vector<fs::path> homes;
    for (std::size_t i = first; i < std::min(first + jobs, instances); ++i) {
      const fs::path& target = targets[i % targets.size()];
      const fs::path home = part / fmt::format("{}-{}", target.filename().string(), i);
      const fs::path corpus = corpora / target.filename();
      make_folder(home / "findings");
      make_folder(corpus);
      homes.push_back(home);
      running.emplace_back(
          command_of(session, target, home, corpus, session.seed_of("libFuzzer", k << 8 ^ i),
                     seconds / static_cast<double>(batches), runs),
          surroundings_of(session, home), home);
    }
    const double limit = runs > 0 ? 1e9 : seconds / static_cast<double>(batches) + patience(o);
    const double started = session.elapsed();
    wait_for(running, limit, session.stop_asked());
    p.seconds += session.elapsed() - started;
    for (std::size_t i = 0; i < running.size(); ++i) {
      look_at_ending(session, running[i].ending(), homes[i],
                     property_of(targets[(first + i) % targets.size()]));
      p.cases += executions_of(homes[i]);
    }
  }
  if (!session.stopping()) confirm(session, part);
  if (session.stopping())
    session.take_up_fuzzing(part);
  else
    session.part_is_done(part);
  session.save();
  return kept() - before;
}

}  // namespace ulpfuzz::nightly
