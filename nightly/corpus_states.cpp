#include <algorithm>
#include <array>
#include <tuple>

#include "fold.hpp"
#include "ledger.hpp"

namespace ulpfuzz::nightly {
namespace {

using report::BucketState;
using report::Night;
using report::NightBucket;

/// What wants attention first.
int rank(BucketState state) {
  constexpr std::array<BucketState, report::bucket_states> order{
      BucketState::returned, BucketState::fresh, BucketState::open,
      BucketState::flaky,    BucketState::known, BucketState::fixed};
  return static_cast<int>(std::find(order.begin(), order.end(), state) - order.begin());
}

/// Damage to others' memory before lost processes before wrong numbers.
int rank(const std::string& failure_class) {
  static const std::array<std::string, 11> order{
      "out_of_bounds", "crash",        "unwritten",          "hang",           "out_of_memory",
      "exception",     "beyond_bound", "nonfinite_mismatch", "fp_environment", "nondeterministic",
      "not_bitwise"};
  return static_cast<int>(std::find(order.begin(), order.end(), failure_class) - order.begin());
}

bool before(const NightBucket& a, const NightBucket& b) {
  const auto key = [](const NightBucket& n) {
    return std::tuple(rank(n.state), rank(n.bucket.failure_class), -n.bucket.share);
  };
  return std::tuple(key(a), b.bucket.count, a.bucket.id) <
         std::tuple(key(b), a.bucket.count, b.bucket.id);
}

class States {
 public:
  States(const Night& night, const Ledger& ledger, const std::vector<KnownBucket>& known)
      : own_(ids_of(night)),
        id_(entry_id(night)),
        day_(night.date.substr(0, 10)),
        ledger_(ledger),
        known_(known) {}

  void give(NightBucket& b, const std::string& minimal) const {
    const auto* entry = find_entry(ledger_, b.bucket, minimal);
    b.state = b.bucket.flaky ? BucketState::flaky : seen(b, entry);
    b.first_seen = entry != nullptr ? entry->second.first_seen : id_;
    b.nights = nights(entry);
    if (put_owner(b, entry)) b.state = BucketState::known;
  }

  /// Nothing where the night did find it, or where it was fixed before.
  bool fixed(const Ledger::value_type& entry) const {
    return !entry.second.fixed || among(own_, entry.second.fixed_in);
  }

  NightBucket fixed_bucket(const Ledger::value_type& entry) const {
    const LedgerEntry& e = entry.second;
    NightBucket b;
    b.bucket.id = entry.first;
    b.bucket.property = e.property;
    b.bucket.subject = e.subject;
    b.bucket.failure_class = e.failure_class;
    b.bucket.cause = e.cause;
    b.bucket.first_op = e.first_op;
    b.bucket.reason = e.reason;
    b.state = BucketState::fixed;
    b.first_seen = e.first_seen;
    b.nights = e.nights;
    put_owner(b, &entry);
    return b;
  }

 private:
  BucketState seen(const NightBucket& b, const Ledger::value_type* entry) const {
    if (b.found_in == in_regressions) return BucketState::returned;  // until it passes
    if (entry == nullptr || among(own_, entry->second.first_seen)) return BucketState::fresh;
    const LedgerEntry& e = entry->second;
    const bool was_fixed = e.fixed && !among(own_, e.fixed_in);
    return was_fixed || among(own_, e.returned_in) ? BucketState::returned : BucketState::open;
  }

  std::uint64_t nights(const Ledger::value_type* entry) const {
    if (entry == nullptr) return 1;
    return entry->second.nights + (among(own_, entry->second.last_seen) ? 0 : 1);
  }

  bool put_owner(NightBucket& b, const Ledger::value_type* entry) const {
    const KnownBucket* known = find_known(known_, b.bucket.id, day_);
    if (known == nullptr && entry != nullptr) known = find_known(known_, entry->first, day_);
    for (const std::string& other : b.bucket.also)
      if (known == nullptr) known = find_known(known_, other, day_);
    b.owner = known != nullptr ? known->owner : "";
    b.until = known != nullptr ? known->until : "";
    b.comment = known != nullptr ? known->comment : "";
    return known != nullptr;
  }

  const std::vector<std::string> own_;
  const std::string id_, day_;
  const Ledger& ledger_;
  const std::vector<KnownBucket>& known_;
};

}  // namespace

void classify(Night& night, const Ledger& ledger, const std::vector<KnownBucket>& known,
              const std::vector<std::string>& passing, const std::filesystem::path& folder) {
  const States states(night, ledger, known);
  std::erase_if(night.buckets, [](const NightBucket& b) { return b.state == BucketState::fixed; });
  std::vector<std::string> found;
  for (NightBucket& b : night.buckets) {
    const std::string minimal =
        b.bucket.case_file.empty() ? std::string() : hash_of(folder / b.bucket.case_file);
    states.give(b, minimal);
    if (const auto* entry = find_entry(ledger, b.bucket, minimal); entry != nullptr)
      found.push_back(entry->first);
  }
  for (const std::string& id : passing) {
    Bucket named;
    named.id = id;
    const auto* entry = find_entry(ledger, named, {});
    if (entry == nullptr || among(found, entry->first) || !states.fixed(*entry)) continue;
    night.buckets.push_back(states.fixed_bucket(*entry));
    found.push_back(entry->first);
  }
  std::sort(night.buckets.begin(), night.buckets.end(), before);
}

}  // namespace ulpfuzz::nightly
