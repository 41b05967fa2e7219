#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/probe/sum_tree.hpp"
#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz::probe {

/// One thing found out about a subject.
struct Finding {
  std::string what;           ///< "operands", "FMA", "NaN rule of relu"
  std::string value;          ///< "24 bits (fp32)"
  std::string evidence;       ///< the test vector and what came back
  bool claim_broken = false;  ///< contradicts what the subject claims or every subject must keep
};

struct Report {
  std::string subject;
  std::vector<Finding> findings;
  struct Order {
    std::string where;  ///< "linear, k = 64, batch 1"
    SumTree tree;
    std::string proof;  ///< "64 of 64 random sums predicted bit for bit"
  };
  std::vector<Order> orders;
  /// Batch sizes that behave alike, and how: bits of a row, order and arithmetic.
  struct BatchClass {
    std::vector<std::size_t> sizes;
    std::string behaviour;
  };
  std::vector<BatchClass> batch_classes;
  bool claims_hold() const;
};

struct Options {
  std::vector<std::size_t> inner{8, 64};  ///< lengths of the dot products whose order is revealed
  std::size_t largest_batch = 256;
  std::uint64_t seed = 1;
  std::size_t samples = 100000;                      ///< floats at which each function is measured
  std::function<void(const std::string&)> progress;  ///< called with what is being tried
};

/// Lengths and batches that a probe takes, and samples.
inline constexpr std::size_t most_inner = 1024;
inline constexpr std::size_t most_batch = 4096;

/// Finds out by test vectors what arithmetic the subject uses (docs/probe.md). Subject faults
/// (exceptions, unwritten outputs) become findings; a crash or a hang does not come back, so run
/// it where that does no harm, part by part. Throws std::invalid_argument for lengths outside
/// 2..most_inner, or a batch outside 1..most_batch.
Report probe(const Subject& subject, const Options& options = {});

/// What a probe consists of: "sums", "special values", "functions", "batch sizes".
std::span<const std::string_view> parts();
/// One of them alone.
Report probe(const Subject& subject, const Options& options, std::string_view part);

/// Adds what `more` found.
void append(Report& report, Report more);

/// 1, 2, 3, 5, 8, 12, 16 -> "1-3, 5, 8, 12, 16"; long arithmetic progressions as "8, 12 .. 64".
std::string compact(std::span<const std::size_t> sizes);

}  // namespace ulpfuzz::probe
