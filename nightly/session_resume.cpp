#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "files.hpp"
#include "given.hpp"
#include "session.hpp"
#include "state.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

/// What was being written when the kill came.
void remove_unfinished_files(const fs::path& part) {
  std::vector<fs::path> unfinished;
  std::error_code error;
  for (fs::recursive_directory_iterator at(part, error), end; !error && at != end;
       at.increment(error))
    if (at->path().extension() == ".tmp") unfinished.push_back(at->path());
  for (const fs::path& file : unfinished) fs::remove(file, error);
}

/// Names of files that are in the night by now: each is the hash of its case.
std::set<std::string> cases_of_findings(const fs::path& out) {
  std::set<std::string> names;
  for (const fs::path& bucket : entries(out / "findings"))
    for (const fs::path& file : entries(bucket))
      if (is_original(file)) names.insert(file.filename().string());
  return names;
}

}  // namespace

void add_findings_on_disk(CampaignResult& result) {
  const auto known = [&](const std::string& id) {
    return std::any_of(result.buckets.begin(), result.buckets.end(),
                       [&](const Bucket& b) { return b.goes_by(id); });
  };
  for (const fs::path& folder : entries(result.out / "findings")) {
    if (known(folder.filename().string())) continue;
    for (const fs::path& file : entries(folder))
      if (const auto bucket = bucket_of(file)) {
        result.buckets.push_back(*bucket);
        break;
      }
  }
}

void Session::resume() {
  State state = read_state(state_file(options_.out));
  if (!state.night.running && !state.night.interrupted)
    throw std::invalid_argument(
        fmt::format("{} holds a night that is over; drop --resume and choose another --out",
                    options_.out.string()));
  refuse_other(state, options_);
  night_ = std::move(state.night);
  night_.running = true;
  night_.interrupted = false;
  passing_ = std::move(state.passing);
  folded_ = std::move(state.folded);
  here_ = state.here.empty() ? asked_here(options_) : std::move(state.here);
  before_ = state.seconds;
  for (const fs::path& part : entries(options_.out / "parts"))
    if (std::find(folded_.begin(), folded_.end(), part.filename().string()) == folded_.end())
      take_up(part);
  reserve();
  save();
}

/// A part that was cut by a kill: what its last interim summary knows.
void Session::take_up(const fs::path& part) {
  remove_unfinished_files(part);
  const std::string name = phase_of(part);
  report::Phase& p = phase(name);
  try {
    if (name == "libFuzzer" && !fs::exists(part / "summary.json")) return take_up_fuzzing(part);
    const fs::path summary = part / "summary.json";
    CampaignResult result = campaign_from_json(read_file(summary), summary.string());
    result.out = part;
    result.interrupted = false;
    add_findings_on_disk(result);
    before_ += result.seconds;
    p.seconds += result.seconds;
    if (fold_of(name) != Fold::findings) p.cases += result.cases;
    fold_in(result, name, fold_of(name), before_ - result.seconds);
    add_note(p, fmt::format("cut by a kill in {}", part.filename().string()));
  } catch (const FileError& error) {
    add_note(p, fmt::format("cut by a kill; {}", error.what()));
  }
  folded_.push_back(part.filename().string());
}

void Session::take_up_fuzzing(const fs::path& part, Left left) {
  const std::set<std::string> cases = cases_of_findings(options_.out);
  for (const fs::path& home : entries(part)) {
    CampaignResult result;
    result.out = home;
    for (const report::NightBucket& b : night_.buckets) result.buckets.push_back(b.bucket);
    const auto known = static_cast<std::ptrdiff_t>(result.buckets.size());
    add_findings_on_disk(result);
    result.buckets.erase(result.buckets.begin(), result.buckets.begin() + known);
    // One whose case failed again, be it under another name, is no bucket of its own.
    std::erase_if(result.buckets, [&](const Bucket& b) {
      const auto files = entries(b.case_file.parent_path());
      return std::any_of(files.begin(), files.end(), [&](const fs::path& file) {
        return cases.count(file.filename().string()) != 0;
      });
    });
    for (Bucket& b : result.buckets) {
      b.tried = left == Left::passes ? 1 : 0;
      b.flaky = left == Left::passes;
    }
    fold_in(result, "libFuzzer", Fold::findings, elapsed());
  }
  part_is_done(part);
}

}  // namespace ulpfuzz::nightly
