#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ulpfuzz/runner/campaign.hpp"

namespace ulpfuzz {

struct CountedBucket {
  Bucket bucket;
  std::string minimal;   ///< content hash of the minimal case; empty: there is none
  std::string shown_op;  ///< first op that the smallest case shows
  std::vector<std::uint64_t> complexity;  ///< of bucket.case_file
};

/// One bucket for one fault as far as that can be told. Merged are, of a property and a subject:
/// buckets with the same minimal case; unexplained ones of a class whose smallest cases show the
/// same first op; and these with the bucket of that class and op that has a named cause, if there
/// is one that has nine tenths of the named failures. The named one wins, of several the most
/// frequent; counts are added; no file moves: `also` says where the others are. Most frequent
/// first.
std::vector<Bucket> merged_buckets(std::vector<CountedBucket> all);

}  // namespace ulpfuzz
