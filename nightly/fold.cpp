#include "fold.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
using report::Night;
using report::NightBucket;
namespace {

void add(std::map<std::string, std::uint64_t>& to, const std::map<std::string, std::uint64_t>& n) {
  for (const auto& [key, count] : n) to[key] += count;
}

void add_pair(std::vector<PairCounts>& pairs, const PairCounts& more) {
  const auto at = std::find_if(pairs.begin(), pairs.end(), [&](const PairCounts& p) {
    return p.property == more.property && p.subject == more.subject;
  });
  if (at == pairs.end()) return pairs.push_back(more);
  at->add(more);
}

/// Totals go on where the phase's turn before ended.
void add_lines(Night& night, const CampaignResult& part, const std::string& phase, double began) {
  StatisticsLine before;
  for (const report::Sample& s : night.over_time)
    if (s.phase == phase) before = s.line;
  for (StatisticsLine line : part.over_time) {
    line.seconds += began;
    line.add_totals(before);
    night.over_time.push_back({phase, std::move(line)});
  }
}

void add_counts(Night& night, const CampaignResult& part, const std::string& phase, double began) {
  night.cases += part.cases;
  night.elements += part.elements;
  add(night.verdicts, part.verdicts);
  add(night.elements_by_tier, part.elements_by_tier);
  add(night.vacuous_reasons, part.vacuous_reasons);
  add(night.skip_reasons, part.skip_reasons);
  for (const PairCounts& p : part.pairs) add_pair(night.pairs, p);
  night.statistics.add(part.statistics);
  add_lines(night, part, phase, began);
}

void add_errors(Night& night, const CampaignResult& part) {
  for (const std::string& error : part.errors)
    if (std::find(night.errors.begin(), night.errors.end(), error) == night.errors.end())
      night.errors.push_back(error);
}

/// Of those that the bucket is one with: it gives its name to all.
NightBucket* most_frequent(Night& night, const Bucket& bucket) {
  NightBucket* found = nullptr;
  const auto look = [&](const std::string& id) {
    NightBucket* b = find_bucket(night, id);
    if (b != nullptr && (found == nullptr || b->bucket.count > found->bucket.count)) found = b;
  };
  look(bucket.id);
  for (const std::string& id : bucket.also) look(id);
  return found;
}

void merge_into(Bucket& known, const Bucket& more, Fold what) {
  if (what == Fold::everything) known.count += more.count;
  known.share = std::max(known.share, more.share);
  known.reproduced += more.reproduced;
  known.tried += more.tried;
  known.flaky = known.tried > 0 && known.reproduced == 0;
  for (const std::string& id : more.also)
    if (!known.goes_by(id)) known.also.push_back(id);
  if (!known.goes_by(more.id)) known.also.push_back(more.id);
}

fs::path folder_of(const Bucket& b) {
  return fs::path(b.flaky ? "findings-flaky" : "findings") / b.id;
}

/// Others that the bucket has swallowed: their minimal case is the same.
void swallow(Night& night, NightBucket& into) {
  const std::string id = into.bucket.id;
  for (std::size_t i = 0; i < night.buckets.size();) {
    NightBucket& other = night.buckets[i];
    NightBucket& target = *find_bucket(night, id);
    if (other.bucket.id == id || !target.bucket.goes_by(other.bucket.id)) {
      ++i;
      continue;
    }
    const Bucket gone = std::move(other.bucket);
    const std::string found_in = other.found_in;
    night.buckets.erase(night.buckets.begin() + static_cast<std::ptrdiff_t>(i));
    // What must not fail at all is more telling than where else the bucket was found.
    if (found_in == in_regressions) find_bucket(night, id)->found_in = found_in;
    Bucket& bucket = find_bucket(night, id)->bucket;
    merge_into(bucket, gone, Fold::everything);
    if (bucket.case_file.empty() && !gone.case_file.empty())
      bucket.case_file = folder_of(bucket) / gone.case_file.filename();
  }
}

/// Files of buckets that are no more.
void gather(const Bucket& known, const fs::path& out) {
  for (const std::string& id : known.also)
    for (const char* room : {"findings", "findings-flaky"}) {
      for (const fs::path& file : entries(out / room / id)) {
        const fs::path to = out / folder_of(known) / file.filename();
        if (!fs::exists(to)) nightly::copy_file(file, to);
      }
      std::error_code error;
      fs::remove_all(out / room / id, error);
    }
}

/// All originals of a bucket and of those that it was merged with; the case shown, last.
void copy_files(Bucket& known, const Bucket& found, const fs::path& part, const fs::path& out) {
  const fs::path folder = folder_of(known);
  std::vector<std::string> ids = found.also;
  ids.push_back(found.id);
  for (const std::string& id : ids)
    for (const char* room : {"findings", "findings-flaky"})
      for (const fs::path& file : entries(part / room / id))
        if (is_original(file)) copy_finding(file, out / folder);
  if (found.case_file.empty()) return;
  // Where it is now: the night may have been begun from another folder.
  const fs::path bucket = found.case_file.parent_path();
  const fs::path there = part / bucket.parent_path().filename() / bucket.filename();
  const std::string shown = found.case_file.filename().string();
  if (!fs::exists(there / shown)) return;
  copy_finding(there / shown, out / folder);
  copy_finding(there / "severe.case.json", out / folder);
  std::error_code error;
  const bool simpler =
      known.case_file.empty() ||
      (is_minimal(shown) == is_minimal(known.case_file) &&
       fs::file_size(there / shown, error) < fs::file_size(out / known.case_file, error)) ||
      (is_minimal(shown) && !is_minimal(known.case_file));
  if (simpler || known.case_file.parent_path() != folder) known.case_file = folder / shown;
}

}  // namespace

NightBucket* find_bucket(Night& night, const std::string& id) {
  const auto at = std::find_if(night.buckets.begin(), night.buckets.end(),
                               [&](const NightBucket& b) { return b.bucket.goes_by(id); });
  return at == night.buckets.end() ? nullptr : &*at;
}

fs::path settle(Bucket& b, const fs::path& out) {
  const fs::path to = folder_of(b);
  const fs::path from = fs::path(b.flaky ? "findings" : "findings-flaky") / b.id;
  for (const fs::path& file : entries(out / from))
    nightly::copy_file(file, out / to / file.filename());
  std::error_code error;
  fs::remove_all(out / from, error);
  if (!b.case_file.empty()) b.case_file = to / b.case_file.filename();
  return to;
}

bool add_bucket(Night& night, const Bucket& bucket, const std::string& phase, Fold what) {
  if (NightBucket* known = most_frequent(night, bucket)) {
    if (phase == in_regressions) known->found_in = phase;
    merge_into(known->bucket, bucket, what);
    swallow(night, *known);
    return false;
  }
  NightBucket fresh;
  fresh.bucket = bucket;
  fresh.bucket.case_file.clear();
  fresh.found_in = phase;
  fresh.first_seen = night.id;
  night.buckets.push_back(std::move(fresh));
  swallow(night, night.buckets.back());
  return true;
}

void copy_finding(const fs::path& file, const fs::path& folder) {
  if (!fs::exists(file)) return;
  nightly::copy_file(file, folder / file.filename());
  const fs::path account = account_of(file);
  if (fs::exists(account)) nightly::copy_file(account, folder / account.filename());
}

std::size_t fold(Night& night, const CampaignResult& part, const std::string& phase, Fold what,
                 double began, const fs::path& out) {
  add_errors(night, part);
  night.interrupted = night.interrupted || part.interrupted;
  if (what == Fold::nothing) return 0;
  if (what == Fold::everything) add_counts(night, part, phase, began);
  night.unavailable.insert(part.unavailable.begin(), part.unavailable.end());
  night.stopped.insert(part.stopped.begin(), part.stopped.end());
  if (night.environment.machine.empty()) night.environment = part.environment;
  night.environment.subjects.insert(part.environment.subjects.begin(),
                                    part.environment.subjects.end());
  std::size_t fresh = 0;
  std::string failed;
  for (const Bucket& b : part.buckets) {
    if (add_bucket(night, b, phase, what)) ++fresh;
    try {
      Bucket& known = find_bucket(night, b.id)->bucket;
      settle(known, out);
      copy_files(known, b, part.out, out);
      gather(known, out);
    } catch (const FileError& error) {
      failed = error.what();
    }
  }
  if (!failed.empty()) throw FileError(failed);
  return fresh;
}

}  // namespace ulpfuzz::nightly
