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

/// What targets of libFuzzer have written down: no campaign has run it again. Returns how many
/// buckets are new.
std::size_t add_fuzzing(report::Night& night, const fs::path& part, const fs::path& staging) {
  std::size_t fresh = 0;
  for (const fs::path& home : entries(part)) {
    CampaignResult result;
    result.out = home;
    add_findings_on_disk(result);
    fresh += fold(night, result, "libFuzzer", Fold::findings, night.seconds, staging);
  }
  return fresh;
}

/// Returns how many buckets are new.
std::size_t add_campaign(report::Night& night, const fs::path& part, report::Phase& p,
                         const fs::path& staging) {
  const fs::path summary = part / "summary.json";
  CampaignResult result = campaign_from_json(read_file(summary), summary.string());
  result.out = part;
  result.interrupted = false;
  add_findings_on_disk(result);
  const Fold what = fold_of(p.name);
  const std::size_t fresh = fold(night, result, p.name, what, night.seconds, staging);
  night.seconds += result.seconds;
  p.seconds += result.seconds;
  p.cases += what == Fold::findings ? 0 : result.cases;
  return fresh;
}

void add_part(report::Night& night, const fs::path& part, const fs::path& staging) {
  const std::string phase = phase_of(part);
  try {
    const bool campaign = fs::exists(part / "summary.json");
    if (!campaign && phase != "libFuzzer") return;  // it had just begun
    const auto at = std::find_if(night.phases.begin(), night.phases.end(),
                                 [&](const report::Phase& p) { return p.name == phase; });
    report::Phase none;
    report::Phase& p = at == night.phases.end() ? none : *at;
    p.name = phase;
    p.buckets +=
        campaign ? add_campaign(night, part, p, staging) : add_fuzzing(night, part, staging);
    p.state = report::Phase::State::cut;
  } catch (const std::exception& error) {
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
