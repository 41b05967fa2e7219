#include "bucket_merge.hpp"

#include <algorithm>
#include <utility>

namespace ulpfuzz {
namespace {

using All = std::vector<CountedBucket>;

bool named(const Bucket& b) { return !b.cause.empty() && b.cause != "unexplained"; }

/// Named before unexplained, frequent before rare.
bool stronger(const CountedBucket& a, const CountedBucket& b) {
  const auto rank = [](const Bucket& x) { return std::pair(named(x), x.count); };
  return rank(a.bucket) > rank(b.bucket);
}

bool same_place(const Bucket& a, const Bucket& b) {
  return a.property == b.property && a.subject == b.subject;
}

/// Where the failure shows: a small case is a better witness, unless the cause was told by the op.
const std::string& op(const CountedBucket& b) {
  return named(b.bucket) ? b.bucket.first_op : b.shown_op;
}

bool but_for_the_cause(const CountedBucket& a, const CountedBucket& b) {
  return same_place(a.bucket, b.bucket) && a.bucket.failure_class == b.bucket.failure_class &&
         op(a) == op(b);
}

void absorb(CountedBucket& into, CountedBucket&& other) {
  Bucket& a = into.bucket;
  Bucket& b = other.bucket;
  a.count += b.count;
  a.share = std::max(a.share, b.share);
  a.index = std::min(a.index, b.index);
  a.reproduced += b.reproduced;
  a.tried += b.tried;
  a.flaky = a.flaky && b.flaky;
  const bool simpler =
      !other.minimal.empty() && (into.minimal.empty() || other.complexity < into.complexity);
  if (simpler) {
    a.case_file = b.case_file;
    into.minimal = std::move(other.minimal);
    into.complexity = std::move(other.complexity);
  }
  a.also.push_back(std::move(b.id));
  a.also.insert(a.also.end(), b.also.begin(), b.also.end());
}

/// Merges each bucket into the first one before it that `mergeable` accepts.
template <class Mergeable>
void merge(All& all, const Mergeable& mergeable) {
  std::stable_sort(all.begin(), all.end(), stronger);
  All kept;
  for (CountedBucket& b : all) {
    const auto into = std::find_if(kept.begin(), kept.end(),
                                   [&](const CountedBucket& k) { return mergeable(k, b); });
    if (into == kept.end()) {
      kept.push_back(std::move(b));
    } else {
      absorb(*into, std::move(b));
    }
  }
  all = std::move(kept);
}

}  // namespace

std::vector<Bucket> merged_buckets(std::vector<CountedBucket> all) {
  merge(all, [](const CountedBucket& a, const CountedBucket& b) {
    return same_place(a.bucket, b.bucket) && !a.minimal.empty() && a.minimal == b.minimal;
  });
  merge(all, [](const CountedBucket& a, const CountedBucket& b) {
    return a.bucket.cause == "unexplained" && b.bucket.cause == "unexplained" &&
           but_for_the_cause(a, b);
  });
  const All before = all;
  merge(all, [&before](const CountedBucket& a, const CountedBucket& b) {
    if (!named(a.bucket) || named(b.bucket) || !but_for_the_cause(a, b)) return false;
    std::uint64_t failures = 0;
    for (const CountedBucket& x : before) {
      if (named(x.bucket) && but_for_the_cause(x, b)) failures += x.bucket.count;
    }
    const auto own = std::find_if(before.begin(), before.end(), [&a](const CountedBucket& x) {
      return x.bucket.id == a.bucket.id;
    });
    return 10 * own->bucket.count >= 9 * failures;
  });
  std::vector<Bucket> buckets;
  for (CountedBucket& b : all) buckets.push_back(std::move(b.bucket));
  std::stable_sort(buckets.begin(), buckets.end(),
                   [](const Bucket& a, const Bucket& b) { return a.count > b.count; });
  return buckets;
}

}  // namespace ulpfuzz
