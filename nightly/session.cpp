#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <system_error>

#include "budget.hpp"
#include "files.hpp"
#include "state.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "ulpfuzz/runner/replay.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t errors_kept = 20;

std::size_t number_of(const std::string& phase) {
  return static_cast<std::size_t>(std::find(phase_names.begin(), phase_names.end(), phase) -
                                  phase_names.begin() + 1);
}

/// A bijection that mixes well: the finalizer of splitmix64 (Steele, Lea, Flood, 2014).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

std::string phase_of(const fs::path& part) {
  const std::string name = part.filename().string();
  const auto begin = name.find('-');
  return begin == name.npos ? name : name.substr(begin + 1, name.find('.') - begin - 1);
}

Fold fold_of(const std::string& phase) {
  if (phase == "self-check" || phase == "distil") return Fold::nothing;
  if (phase == "shrink" || phase == "libFuzzer") return Fold::findings;
  return Fold::everything;
}

void renew_note(report::Phase& phase, const std::string& begin, const std::string& rest) {
  if (const auto at = phase.note.find(begin); at != std::string::npos) {
    const auto end = phase.note.find("; ", at);
    phase.note.erase(at, end == std::string::npos ? end : end + 2 - at);
    if (phase.note.ends_with("; ")) phase.note.resize(phase.note.size() - 2);
  }
  add_note(phase, begin + rest);
}

void add_note(report::Phase& phase, const std::string& sentence) {
  if (phase.note.find(sentence) != std::string::npos) return;  // after --resume
  if (!phase.note.empty()) phase.note += "; ";
  phase.note += sentence;
}

Session::Session(const NightlyOptions& options, const Registry& subjects)
    : options_(options), subjects_(subjects) {
  if (!options_.claim.empty()) judged_ = judged_as(options_.claim, subjects_);
  lock();
  if (options_.resume)
    resume();
  else
    begin();
}

void Session::part_is_done(const fs::path& part) { folded_.push_back(part.filename().string()); }

report::Phase& Session::phase(const std::string& name) {
  for (report::Phase& p : night_.phases)
    if (p.name == name) return p;
  night_.phases.emplace_back().name = name;
  return night_.phases.back();
}

double Session::elapsed() const {
  return before_ + std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

double Session::left() const { return by_time() ? options_.seconds - elapsed() : 1e9; }

double Session::kept_for_the_end() const {
  const double merge = options_.fuzzers.empty() ? 0 : part_of_merge;
  return (part_of_distil + merge + part_of_report) * options_.seconds;
}

std::function<bool()> Session::stop_asked() const {
  return [this] { return stopping(); };
}

void Session::say(const std::string& line) const {
  if (options_.report) options_.report(line);
}

void Session::error(const std::string& text) {
  if (night_.errors.size() >= errors_kept ||
      std::find(night_.errors.begin(), night_.errors.end(), text) != night_.errors.end())
    return;
  night_.errors.push_back(text);
  say("error: " + text);
}

std::vector<fs::path> Session::listed(const fs::path& folder) {
  try {
    return entries(folder);
  } catch (const FileError& unreadable) {
    error(unreadable.what());
    return {};
  }
}

std::uint64_t Session::seed_of(const std::string& phase, std::uint64_t k) const {
  const std::uint64_t place = number_of(phase) << 48 ^ k << 24 ^ options_.shard;
  return mix(mix(night_.seed) ^ place) & 0xffffffffffff;  // short enough to type
}

fs::path Session::fresh_part(const std::string& phase) const {
  const std::string stem = fmt::format("{:02}-{}", number_of(phase), phase);
  fs::path part = options_.out / "parts" / stem;
  for (int k = 2; fs::exists(part); ++k)
    part = options_.out / "parts" / fmt::format("{}.{}", stem, k);
  return part;
}

std::uint64_t Session::parts_of(const std::string& phase) const {
  const auto all = entries(options_.out / "parts");
  return static_cast<std::uint64_t>(std::count_if(
      all.begin(), all.end(), [&](const fs::path& part) { return phase_of(part) == phase; }));
}

CampaignOptions Session::usual() {
  CampaignOptions o;
  o.subjects = options_.subjects;
  o.properties = options_.properties;
  o.claim = options_.claim;
  o.jobs = options_.jobs;
  o.case_timeout = options_.case_timeout;
  o.memory_limit = options_.memory_limit;
  o.limits = options_.limits;
  o.progress = options_.progress;
  o.shrink_evaluations = 0;
  o.report = [this](const std::string& line) {
    // A bucket is news once in a night, and its minimal case is named in the end.
    const bool finding = line.starts_with("FAIL ");
    if (line.starts_with("ulpfuzz run:") || line.starts_with("  minimal case of ")) return;
    // Those were named when the night looked at its corpus.
    if (line.find(" left out that cannot be read: ") != std::string::npos) return;
    if (!finding || said_.insert(line.substr(0, line.find(": "))).second) say(line);
  };
  return o;
}

CampaignResult Session::campaign(const std::string& name, CampaignOptions o, Fold what) {
  report::Phase& p = phase(name);
  CampaignResult result;
  if (stopping()) return result;
  o.out = fresh_part(name);
  const double began = elapsed();
  try {
    while (true) {
      try {
        result = run_campaign(o, subjects_);
        break;
      } catch (const std::invalid_argument& error) {
        // A given case that is too large to compute is refused by its name.
        const auto refused = std::find_if(o.given.begin(), o.given.end(), [&](const GivenCase& g) {
          return std::string_view(error.what()).starts_with(g.name.string() + ":");
        });
        if (refused == o.given.end()) throw;
        add_note(p, error.what());
        say(error.what());
        too_large_.insert(refused->name.string());
        o.given.erase(refused);
        if (o.given.empty()) return result;
      }
    }
    result.out = o.out;
    fold_in(result, name, what, began);
  } catch (const FileError& failed) {
    error(failed.what());
  } catch (const std::system_error& failed) {
    error(fmt::format("{}: {}", name, failed.what()));
  }
  p.cases += what == Fold::findings ? 0 : result.cases;
  p.seconds += elapsed() - began;
  part_is_done(o.out);
  save();
  return result;
}

void Session::fold_in(const CampaignResult& result, const std::string& name, Fold what,
                      double began) {
  const std::size_t before = night_.buckets.size();
  try {
    fold(night_, result, name, what, began, options_.out);
  } catch (const FileError& failed) {
    error(failed.what());
  }
  // One may have swallowed others.
  if (night_.buckets.size() > before) phase(name).buckets += night_.buckets.size() - before;
}

void Session::save() {
  if (night_.running) night_.seconds = elapsed();
  try {
    write_state(options_.out / "night.json", {night_, passing_, folded_, elapsed(), here_});
    // The reports of a night that is over are written together, and agree.
    if (night_.running)
      write_file_atomically(options_.out / "summary.json", report::to_json(night_));
  } catch (const FileError& failed) {
    error(failed.what());
  }
}

}  // namespace ulpfuzz::nightly
