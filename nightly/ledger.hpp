#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ulpfuzz/nightly/corpus.hpp"

namespace ulpfuzz::nightly {

/// ledger.json: each night that is in `nights` is in `buckets`, since both are written at once.
struct LedgerFile {
  Ledger buckets;
  std::vector<std::string> nights;  ///< ids of those published last, in that order
};
LedgerFile read_ledger_file(const std::filesystem::path& corpus);
std::string to_json(const LedgerFile& ledger);

/// Ids by which a night is known: its own, and those of the nights merged into it.
std::vector<std::string> ids_of(const report::Night& night);
/// The one that the ledger knows it by; of a merged night that of its first shard, so that it stays
/// when shards are added.
const std::string& entry_id(const report::Night& night);
bool among(const std::vector<std::string>& ids, const std::string& id);

/// What the buckets of `night`, classified and their kept cases being `minimal` (content hashes,
/// one a bucket, or ""), do to the ledger.
void enter(LedgerFile& ledger, const report::Night& night, const std::vector<std::string>& minimal);

/// Content hash of a case file, or "" for what cannot be read as one.
std::string hash_of(const std::filesystem::path& case_file);

}  // namespace ulpfuzz::nightly
