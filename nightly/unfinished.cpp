#include "unfinished.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files.hpp"
#include "given.hpp"
#include "session.hpp"
#include "state.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

/// What targets of libFuzzer have written down: no campaign has run it again.
void add_fuzzing(report::Night& night, const fs::path& part, const fs::path& staging) {
  for (const fs::path& home : entries(part)) {
    CampaignResult result;
    result.out = home;
    add_findings_on_disk(result);
    fold(night, result, "libFuzzer", Fold::findings, night.seconds, staging);
  }
}

void add_part(report::Night& night, const fs::path& part, const fs::path& staging) {
  const std::string phase = phase_of(part);
  const fs::path summary = part / "summary.json";
  try {
    if (!fs::exists(summary)) return add_fuzzing(night, part, staging);
    CampaignResult result = campaign_from_json(read_file(summary), summary.string());
    result.out = part;
    result.interrupted = false;
    add_findings_on_disk(result);
    const std::size_t fresh = fold(night, result, phase, fold_of(phase), night.seconds, staging);
    night.seconds += result.seconds;
    for (report::Phase& p : night.phases) {
      if (p.name != phase) continue;
      p.state = report::Phase::State::cut;
      p.seconds += result.seconds;
      p.cases += fold_of(phase) == Fold::findings ? 0 : result.cases;
      p.buckets += fresh;
    }
  } catch (const FileError& error) {
    night.errors.emplace_back(error.what());
  }
}

}  // namespace

report::Night unfinished_night(const fs::path& folder, const fs::path& staging) {
  State state = read_state(folder / "night.json");
  if (!state.night.running) return std::move(state.night);
  state.night.seconds = state.seconds;
  for (const fs::path& part : entries(folder / "parts"))
    if (std::find(state.folded.begin(), state.folded.end(), part.filename().string()) ==
        state.folded.end())
      add_part(state.night, part, staging);
  return std::move(state.night);
}

}  // namespace ulpfuzz::nightly
