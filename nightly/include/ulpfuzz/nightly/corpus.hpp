#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::nightly {

/// What lives from night to night, in one folder (docs/corpus.md):
///   regressions/  seeds/      people's, read only here
///   known.json                people's: see read_known()
///   distilled/HASH.case       cases that search begins with; none fails
///   fuzzing/TARGET/           inputs of libFuzzer, named by their hashes
///   failing/BUCKET/           minimal.case.json and minimal.txt: replayed each night, to see when
///                             it is fixed, or back
///   ledger.json               what became of each bucket
///   history.jsonl             a line a night (report::EarlierNight)
/// Files are replaced atomically, or appended to by one write, under a lock on the folder.

struct KnownBucket {
  std::string bucket;  ///< id, or a glob
  std::string owner, until, comment;
};
/// {"schema": 1, "known": [{"bucket", "owner", "until", "comment"}]}; `until` as 2026-12-31, that
/// day included; `comment` may be left out. FileError, naming the entry and what would fit, for a
/// list that cannot be read as one; empty for a file that is not there.
std::vector<KnownBucket> read_known(const std::filesystem::path& file);
/// The entry for a bucket on a day (2026-11-30), if there is one that has not run out: the one
/// with its id before globs, and these in the order of the list.
const KnownBucket* find_known(const std::vector<KnownBucket>& known, const std::string& bucket,
                              const std::string& day);

/// What became of a bucket until now. Ids of nights sort by time.
struct LedgerEntry {
  bool fixed = false;
  std::string first_seen, last_seen, fixed_in, returned_in;  ///< ids of nights
  std::uint64_t nights = 0;                                  ///< in which it was seen
  /// As in Bucket, for a night that only sees that it is fixed.
  std::string property, subject, failure_class, cause, first_op, reason;
  std::vector<std::string> also;     ///< ids that it had in other nights
  std::vector<std::string> minimal;  ///< content hashes of cases kept for it, the last one first
};
using Ledger = std::map<std::string, LedgerEntry>;  ///< by the id it was first seen under
/// Empty where there is none. FileError for one that cannot be read: nothing replaces it then.
Ledger read_ledger(const std::filesystem::path& corpus);

/// The entry of a bucket: by its id, by those in `also` of either, or, of the same property and
/// subject, by its minimal case (content hash, or ""); nothing if it was never seen.
const Ledger::value_type* find_entry(const Ledger& ledger, const Bucket& bucket,
                                     const std::string& minimal);

/// Gives each bucket of `night` its state, first_seen, owner ... from what was known before it,
/// adds those that are fixed, and orders them: returned, new, open, flaky, known, fixed, in each
/// the severe ones first. `passing`: buckets whose kept case was replayed and passes now. `folder`:
/// where the bucket's case files are. What publish() left of the same night, or of shards of it,
/// changes nothing.
void classify(report::Night& night, const Ledger& ledger, const std::vector<KnownBucket>& known,
              const std::vector<std::string>& passing, const std::filesystem::path& folder);

/// Leaves in `corpus`, which is made where it is not there, what the night in `folder` came to:
/// folder/distilled/HASH.case (and those of corpus/distilled go that folder/distilled/read.txt
/// names, a HASH a line, and that are no longer in folder/distilled: the others have all their
/// features), by the same rule inputs in folder/fuzzing-kept/TARGET with TARGET.read.txt beside it,
/// failing cases, ledger, history. The same night twice changes nothing; a night of more
/// shards takes the place of one of less. Several at once are safe: FolderBusy, with ledger and
/// history as they were, if another takes too long, which is soon if `hurry` says so. FileError,
/// before anything is changed, for a ledger that cannot be read; FileError for what cannot be
/// written.
void publish(const std::filesystem::path& corpus, const report::Night& night,
             const std::filesystem::path& folder, const std::function<bool()>& hurry = {});

/// history.jsonl, oldest first, each night once; lines that cannot be read are left out.
std::vector<report::EarlierNight> read_history(const std::filesystem::path& corpus);

}  // namespace ulpfuzz::nightly
