#include "session.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "files.hpp"
#include "given.hpp"
#include "state.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/report.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

constexpr std::array phase_names{"self-check", "regressions", "replay", "random", "search",
                                 "libFuzzer",  "shrink",      "distil", "report"};
constexpr std::size_t errors_kept = 20;

std::size_t number_of(const std::string& phase) {
  return static_cast<std::size_t>(
      std::find(phase_names.begin(), phase_names.end(), phase) - phase_names.begin() + 1);
}

/// "random" of "04-random.2"
std::string phase_of(const fs::path& part) {
  const std::string name = part.filename().string();
  const auto begin = name.find('-');
  return begin == name.npos ? name : name.substr(begin + 1, name.find('.') - begin - 1);
}

/// A bijection that mixes well: the finalizer of splitmix64 (Steele, Lea, Flood, 2014).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A worker writes a failure down before it tells of it: what no summary knows yet.
void add_findings_on_disk(CampaignResult& result) {
  const auto known = [&](const std::string& id) {
    return std::any_of(result.buckets.begin(), result.buckets.end(), [&](const Bucket& b) {
      return b.id == id || std::find(b.also.begin(), b.also.end(), id) != b.also.end();
    });
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

}  // namespace

Fold fold_of(const std::string& phase) {
  if (phase == "self-check" || phase == "distil") return Fold::nothing;
  if (phase == "shrink" || phase == "libFuzzer") return Fold::findings;
  return Fold::everything;
}

void add_note(report::Phase& phase, const std::string& sentence) {
  if (!phase.note.empty()) phase.note += "; ";
  phase.note += sentence;
}

Session::Session(const NightlyOptions& options, const Registry& subjects)
    : options_(options), subjects_(subjects) {
  lock();
  try {
    if (options_.resume)
      resume();
    else
      begin();
  } catch (...) {
    close(lock_);
    throw;
  }
}

Session::~Session() { close(lock_); }

/// Two nights in one folder would take each other's files for their own.
void Session::lock() {
  const fs::path& out = options_.out;
  if (options_.resume && !fs::exists(out / "night.json"))
    throw std::invalid_argument(fmt::format(
        "{} holds no night (night.json) to go on with; drop --resume, or name the folder of the "
        "night that was stopped",
        out.string()));
  make_folder(out);
  lock_ = open(out.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0)
    throw FileError(fmt::format("{}: cannot be opened: {}; choose another --out", out.string(),
                                std::strerror(errno)));
  // Some file systems know no locks; what begin() looks for still keeps nights apart there.
  if (flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(lock_);
    throw FileError(
        fmt::format("{}: another night works in it; choose another --out", out.string()));
  }
}

void Session::begin() {
  for (const char* used : {"night.json", "summary.json", "parts", "findings"})
    if (fs::exists(options_.out / used))
      throw std::invalid_argument(fmt::format(
          "{} holds {} of another night; go on with that one (--resume), remove it or choose "
          "another --out",
          options_.out.string(), used));
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  night_.date = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
  night_.id = fmt::format("{:%Y%m%dT%H%M%SZ}-{}", fmt::gmtime(now), options_.seed);
  if (options_.shards > 1)
    night_.id += fmt::format("-shard{}of{}", options_.shard, options_.shards);
  night_.seed = options_.seed;
  night_.options = asked(options_);
  night_.running = true;
  for (const char* name : phase_names) night_.phases.push_back({.name = name});
  save();
}

void Session::resume() {
  State state = read_state(options_.out / "night.json");
  if (!state.night.running && !state.night.interrupted)
    throw std::invalid_argument(fmt::format(
        "{} holds a night that is over; drop --resume and choose another --out",
        options_.out.string()));
  options_.seed = state.night.seed;
  refuse_other(state.night.options, asked(options_), options_.out.string());
  night_ = std::move(state.night);
  night_.running = true;
  night_.interrupted = false;
  passing_ = std::move(state.passing);
  folded_ = std::move(state.folded);
  before_ = state.seconds;
  for (const fs::path& part : entries(options_.out / "parts"))
    if (std::find(folded_.begin(), folded_.end(), part.filename().string()) == folded_.end())
      take_up(part);
  save();
}

/// A part that was cut by a kill: what its last interim summary knows.
void Session::take_up(const fs::path& part) {
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
    p.cases += result.cases;
    fold_in(result, name, fold_of(name), before_ - result.seconds);
    add_note(p, fmt::format("cut by a kill in {}", part.filename().string()));
  } catch (const FileError& error) {
    add_note(p, fmt::format("cut by a kill; {}", error.what()));
  }
  folded_.push_back(part.filename().string());
}

/// What targets of libFuzzer had written down, which nobody has run again yet.
void Session::take_up_fuzzing(const fs::path& part) {
  for (const fs::path& home : entries(part)) {
    CampaignResult result;
    result.out = home;
    add_findings_on_disk(result);
    fold_in(result, "libFuzzer", Fold::findings, elapsed());
  }
  part_is_done(part);
}

void Session::part_is_done(const fs::path& part) {
  folded_.push_back(part.filename().string());
}

report::Phase& Session::phase(const std::string& name) {
  for (report::Phase& p : night_.phases)
    if (p.name == name) return p;
  night_.phases.push_back({.name = name});
  return night_.phases.back();
}

double Session::elapsed() const {
  return before_ +
         std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

double Session::left() const { return by_time() ? options_.seconds - elapsed() : 1e9; }

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

CampaignOptions Session::usual() const {
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
    if (!line.starts_with("ulpfuzz run:")) say(line);
  };
  return o;
}

CampaignResult Session::campaign(const std::string& name, CampaignOptions o, Fold what) {
  report::Phase& p = phase(name);
  CampaignResult result;
  fresh_buckets_ = 0;
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
        const auto refused =
            std::find_if(o.given.begin(), o.given.end(), [&](const GivenCase& g) {
              return std::string_view(error.what()).starts_with(g.name.string() + ":");
            });
        if (refused == o.given.end()) throw;
        add_note(p, error.what());
        say(error.what());
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
  fresh_buckets_ = night_.buckets.size() > before ? night_.buckets.size() - before : 0;
  phase(name).buckets += fresh_buckets_;
}

void Session::save() {
  night_.seconds = elapsed();
  try {
    write_state(options_.out / "night.json", {night_, passing_, folded_, elapsed()});
  } catch (const FileError& failed) {
    error(failed.what());
  }
}

}  // namespace ulpfuzz::nightly
