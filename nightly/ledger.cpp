#include "ledger.hpp"

#include <algorithm>

#include "members.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/member_read.hpp"

namespace ulpfuzz::nightly {
namespace {

using nlohmann::json;
using report::BucketState;
using report::NightBucket;

constexpr int schema = 1;
constexpr std::size_t kept_hashes = 8;
constexpr std::size_t kept_nights = 1000;

constexpr const char* remedy =
    "mend it, put a copy in its place, or remove it: then all buckets are new";

/// A night that is entered.
struct Entered {
  std::vector<std::string> own;  ///< ids_of()
  std::string id;                ///< entry_id()
  bool again = false;            ///< it was entered before
};

void add_once(std::vector<std::string>& list, const std::string& value) {
  if (!among(list, value)) list.push_back(value);
}

void describe(LedgerEntry& e, const Bucket& b) {
  e.property = b.property;
  e.subject = b.subject;
  e.failure_class = b.failure_class;
  e.cause = b.cause;
  e.first_op = b.first_op;
  e.reason = b.reason;
}

/// Seen failing. Nights may be entered late, or again: what is newer stands.
void enter_seen(LedgerEntry& e, const NightBucket& b, const Entered& night) {
  const std::string& id = night.id;
  const bool later_known = e.last_seen > id && e.first_seen <= id;
  if (!among(night.own, e.last_seen) && !(night.again && later_known)) ++e.nights;
  if (e.first_seen.empty() || id < e.first_seen) e.first_seen = id;
  if (b.state == BucketState::returned && e.returned_in < id) e.returned_in = id;
  if (e.fixed_in <= id || among(night.own, e.fixed_in)) {
    e.fixed = false;
    e.fixed_in.clear();
  }
  if (e.last_seen > id) return;
  e.last_seen = id;
  describe(e, b.bucket);
}

void enter_fixed(LedgerEntry& e, const Entered& night) {
  if (e.fixed || e.last_seen > night.id) return;
  e.fixed = true;
  e.fixed_in = night.id;
}

void add_names(LedgerEntry& e, const std::string& key, const Bucket& b,
               const std::string& minimal) {
  for (const std::string& id : b.also)
    if (id != key) add_once(e.also, id);
  if (b.id != key) add_once(e.also, b.id);
  if (minimal.empty() || among(e.minimal, minimal)) return;
  e.minimal.insert(e.minimal.begin(), minimal);
  if (e.minimal.size() > kept_hashes) e.minimal.resize(kept_hashes);
}

}  // namespace

std::vector<std::string> ids_of(const report::Night& night) {
  std::vector<std::string> ids{night.id};
  for (const std::string& shard : night.shards) add_once(ids, shard);
  return ids;
}

const std::string& entry_id(const report::Night& night) {
  return night.shards.empty() ? night.id : night.shards.front();
}

bool among(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::string hash_of(const std::filesystem::path& case_file) {
  try {
    return content_hash(read_case(case_file).value);
  } catch (const FileError&) {
    return {};
  }
}

LedgerFile read_ledger_file(const std::filesystem::path& corpus) {
  const std::filesystem::path file = corpus / "ledger.json";
  const auto text = file_text(file);
  if (!text) return {};
  const json all = parsed_json(*text, file.string(), remedy);
  const Place top(file.string(), Place::Unknown::refused);
  expect_schema(all, top, schema);
  LedgerFile ledger;
  from_object(all, ledger, top, {"schema"});
  return ledger;
}

std::string to_json(const LedgerFile& ledger) {
  json all = to_member(ledger);
  all["schema"] = schema;
  return dump(all, 1) + "\n";
}

Ledger read_ledger(const std::filesystem::path& corpus) { return read_ledger_file(corpus).buckets; }

const Ledger::value_type* find_entry(const Ledger& ledger, const Bucket& bucket,
                                     const std::string& minimal) {
  if (const auto at = ledger.find(bucket.id); at != ledger.end()) return &*at;
  std::vector<std::string> ids = bucket.also;
  ids.push_back(bucket.id);
  for (const auto& item : ledger)
    if (std::any_of(ids.begin(), ids.end(), [&](const std::string& id) {
          return id == item.first || among(item.second.also, id);
        }))
      return &item;
  for (const auto& item : ledger)
    if (item.second.property == bucket.property && item.second.subject == bucket.subject &&
        !minimal.empty() && among(item.second.minimal, minimal))
      return &item;
  return nullptr;
}

void enter(LedgerFile& ledger, const report::Night& night,
           const std::vector<std::string>& minimal) {
  Entered entered{ids_of(night), entry_id(night), true};
  for (const std::string& id : entered.own)
    entered.again = entered.again && among(ledger.nights, id);
  for (std::size_t i = 0; i < night.buckets.size(); ++i) {
    const NightBucket& b = night.buckets[i];
    if (b.bucket.flaky) continue;  // nothing says that it is there at all
    const auto* known = find_entry(ledger.buckets, b.bucket, minimal[i]);
    const std::string key = known != nullptr ? known->first : b.bucket.id;
    if (b.state == BucketState::fixed) {
      if (known != nullptr) enter_fixed(ledger.buckets[key], entered);
      continue;
    }
    enter_seen(ledger.buckets[key], b, entered);
    add_names(ledger.buckets[key], key, b.bucket, minimal[i]);
  }
  if (entered.again) return;
  for (const std::string& id : entered.own) add_once(ledger.nights, id);
  if (ledger.nights.size() > kept_nights)
    ledger.nights.erase(ledger.nights.begin(),
                        ledger.nights.end() - static_cast<std::ptrdiff_t>(kept_nights));
}

}  // namespace ulpfuzz::nightly
