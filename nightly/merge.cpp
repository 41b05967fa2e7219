#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "files.hpp"
#include "fold.hpp"
#include "history.hpp"
#include "ledger.hpp"
#include "merge_files.hpp"
#include "merge_read.hpp"
#include "merge_totals.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/nightly/nightly.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "ulpfuzz/runner/folder_lock.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

using report::BucketState;
using report::EarlierNight;
using report::Night;
using report::NightBucket;

/// For files of nights that are not over; goes with all that is in it.
class Staging {
 public:
  explicit Staging(const fs::path& out) : folder_(out / ".unfinished") { remove(); }
  ~Staging() { remove(); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  const fs::path& folder() const { return folder_; }

 private:
  void remove() const {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  const fs::path folder_;
};

/// What the nights knew of their buckets, for where there is no ledger, or not of these.
void add_known_before(Ledger& ledger, const Nights& nights, const std::vector<std::string>& own) {
  const Ledger given = ledger;
  for (const auto& [id, night] : nights)
    for (const NightBucket& b : night.buckets) {
      if (b.bucket.flaky || b.first_seen.empty() || among(own, b.first_seen)) continue;
      if (find_entry(given, b.bucket, {}) != nullptr) continue;
      LedgerEntry& e = ledger[b.bucket.id];
      e.fixed = e.fixed || b.state == BucketState::returned;
      if (!e.first_seen.empty()) continue;
      e.first_seen = b.first_seen;
      e.nights = b.state == BucketState::fixed || b.nights == 0 ? b.nights : b.nights - 1;
      e.property = b.bucket.property;
      e.subject = b.bucket.subject;
      e.failure_class = b.bucket.failure_class;
      e.cause = b.bucket.cause;
      e.first_op = b.bucket.first_op;
      e.reason = b.bucket.reason;
    }
}

/// The list that was given, or else what the nights had from theirs.
std::vector<KnownBucket> known_of(const MergeOptions& options, const Nights& nights) {
  const fs::path file = !options.known.empty()    ? options.known
                        : !options.corpus.empty() ? options.corpus / "known.json"
                                                  : fs::path();
  if (!options.known.empty() && !fs::exists(file))
    throw FileError(fmt::format("{}: is not there; name a list of known buckets", file.string()));
  if (!file.empty() && fs::exists(file)) return read_known(file);
  std::vector<KnownBucket> known;
  for (const auto& [id, night] : nights)
    for (const NightBucket& b : night.buckets)
      if (b.state == BucketState::known)
        known.push_back({b.bucket.id, b.owner, b.until, b.comment});
  std::sort(known.begin(), known.end(), [](const KnownBucket& a, const KnownBucket& b) {
    return std::tie(a.bucket, b.until, a.owner, a.comment) <
           std::tie(b.bucket, a.until, b.owner, b.comment);
  });
  return known;
}

std::vector<EarlierNight> trend_of(const MergeOptions& options, const Nights& nights,
                                   const std::vector<std::string>& own) {
  if (!options.corpus.empty()) return history_before(options.corpus, own);
  std::map<std::string, EarlierNight> all;
  for (const auto& [id, night] : nights)
    for (const EarlierNight& e : night.trend)
      if (!among(own, e.id)) all.try_emplace(e.id, e);
  std::vector<EarlierNight> trend;
  for (auto& [id, night] : all) trend.push_back(std::move(night));
  return trend;
}

void add_distilled(Night& night, const fs::path& out) {
  std::uint64_t cases = 0;
  for (const fs::path& file : entries(out / "distilled")) cases += file.extension() == ".case";
  if (cases > 0) night.corpus = cases;
}

void add_left_out(Night& night, const MergeInput& input) {
  for (const auto& [path, why] : input.left_out)
    night.errors.push_back(why.starts_with(path) ? fmt::format("left out: {}", why)
                                                 : fmt::format("left out: {}: {}", path, why));
}

/// A damaged one is reported when publish() refuses it.
Ledger ledger_of(const MergeOptions& options) {
  if (options.corpus.empty()) return {};
  try {
    return read_ledger(options.corpus);
  } catch (const FileError&) {
    return {};
  }
}

void classify_union(Night& night, const MergeOptions& options, const Nights& nights,
                    const Ledger& before, const std::vector<KnownBucket>& known) {
  const std::vector<std::string> own = ids_of(night);
  Ledger ledger = before;
  add_known_before(ledger, nights, own);
  std::vector<std::string> passing;
  for (const auto& [id, shard] : nights)
    for (const NightBucket& b : shard.buckets)
      if (b.state == BucketState::fixed) passing.push_back(b.bucket.id);
  night.buckets = united_buckets(nights, options.out);
  classify(night, ledger, known, passing, options.out);
  for (report::Phase& p : night.phases)
    p.buckets = static_cast<std::uint64_t>(
        std::count_if(night.buckets.begin(), night.buckets.end(),
                      [&](const NightBucket& b) { return phase_that_found(b) == p.name; }));
}

/// stats.jsonl: lines of all nights as they were, each with its night.
void write_lines(const Nights& nights, const fs::path& out) {
  std::string text;
  for (const auto& [id, night] : nights) {
    const auto all = nlohmann::ordered_json::parse(report::to_json(night));
    for (auto line : all.at("over_time")) {
      line["shard"] = id;
      text += line.dump() + "\n";
    }
  }
  put_file(out / "stats.jsonl", text);
}

void write(Night& night, const fs::path& out) {
  night.exit_code = exit_code(night);
  const auto failed = report::write_reports(night, out);
  if (failed.empty()) return;
  night.errors.insert(night.errors.end(), failed.begin(), failed.end());
  night.exit_code = exit_code(night);
}

void publish_merged(Night& night, const MergeOptions& options) {
  if (options.corpus.empty()) return;
  try {
    publish(options.corpus, night, options.out);
  } catch (const std::exception& error) {
    night.errors.emplace_back(error.what());
    write(night, options.out);
  }
}

}  // namespace

Night merge(const MergeOptions& options) {
  check_folders(options.folders, options.out);
  const bool had_folder = fs::exists(options.out);
  make_folder(options.out);
  const FolderLock lock(options.out);
  const Staging staging(options.out);
  MergeInput input;
  std::vector<KnownBucket> known;
  try {
    input = read_nights(options.folders, options.out, staging.folder());
    known = known_of(options, input.nights);
  } catch (...) {  // nothing is left where nothing was
    std::error_code error;
    fs::remove_all(staging.folder(), error);
    if (!had_folder) fs::remove(options.out, error);
    throw;
  }
  Night night = totals(input.nights);
  std::vector<std::string> failed;
  const auto attempt = [&](const auto& step) {
    try {
      step();
    } catch (const std::exception& error) {
      failed.emplace_back(error.what());
    }
  };
  attempt([&] { unite_files(input.folders, options.out, input.left_out); });
  attempt([&] { write_nights(input, options.out); });
  attempt([&] { write_lines(input.nights, options.out); });
  attempt([&] { add_distilled(night, options.out); });
  add_left_out(night, input);
  night.errors.insert(night.errors.end(), failed.begin(), failed.end());
  night.trend = trend_of(options, input.nights, ids_of(night));
  classify_union(night, options, input.nights, ledger_of(options), known);
  write(night, options.out);
  publish_merged(night, options);
  return night;
}

}  // namespace ulpfuzz::nightly
