#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>

#include "first_op.hpp"
#include "forward.hpp"
#include "ulpfuzz/core/ulp.hpp"

namespace ulpfuzz::properties {
namespace {

std::vector<std::uint32_t> first_rows(std::uint32_t n) {
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  return rows;
}

/// The least n such that the first n rows, evaluated as a batch, do not all have the bits that they
/// have alone.
std::optional<std::uint32_t> changing_batch(const Trial& trial) {
  const Case& c = trial.c;
  Caller& caller = trial.context.caller;
  std::vector<float> alone;
  for (std::uint32_t r = 0; r < c.batch(); ++r) {
    const std::vector<float> row = forward_slice(caller, trial.subject, c, {{r}, 0});
    alone.insert(alone.end(), row.begin(), row.end());
  }
  for (std::uint32_t n = 2; n <= c.batch(); ++n) {
    const auto together = forward_slice(caller, trial.subject, c, {first_rows(n), 0});
    const std::size_t bytes = together.size() * sizeof(float);
    if (std::memcmp(together.data(), alone.data(), bytes) != 0) return n;
  }
  return std::nullopt;
}

const Node* first_op(const Trial& trial, const Occurrence& o) {
  const Case& c = trial.c;
  const Slice& slice = c.split[o.slice];
  Gather whole;
  Gather part;
  const Evaluated a{c.network, c.parameters, c.batch(), whole.whole(c), c.layout.batch_offset};
  const Evaluated b{c.network, c.parameters, slice.rows.size() + slice.padding,
                    part.rows(c, slice.rows, slice.padding), c.layout.slice_offset};
  try {
    return first_op_that_parts(trial.context, trial.subject, a, o.row, b, o.position);
  } catch (const std::exception&) {
    return nullptr;  // a subject may refuse inner nodes as outputs
  }
}

/// The first element of the occurrence whose bits differ.
Finding parting(const Case& c, const ForwardPaths& paths, const Occurrence& o) {
  const std::size_t width = c.output_width();
  const float* a = paths.batch.data() + o.row * width;
  const float* b = paths.slices[o.slice].data() + o.position * width;
  std::uint32_t column = 0;
  while (same_bits(a[column], b[column])) ++column;
  Finding finding;
  finding.place = {.row = o.row, .column = column, .slice = o.slice, .position = o.position};
  finding.a = a[column];
  finding.b = b[column];
  finding.judged.tier = Tier::bit_equal;
  finding.judged.difference = std::fabs(double{finding.a} - double{finding.b});
  return finding;
}

std::string reason(const Trial& trial, const std::string& op) {
  const std::optional<std::uint32_t> n = changing_batch(trial);
  std::string text = "rows do not keep their bits between the batch and the slices";
  if (n == 2) {
    text = "rows change from batch 2 on (alone they have other bits)";
  } else if (n) {
    text = fmt::format(
        "rows change from batch {} on (at batch {} they equal their single-row bits)", *n, *n - 1);
  }
  return text + "; first op " + op;
}

}  // namespace

Verdict judge_bitwise(const Trial& trial, const ForwardPaths& paths) {
  const Case& c = trial.c;
  const std::vector<Occurrence> found = differing(c, paths);
  Verdict verdict;
  std::size_t compared = 0;
  for (const Slice& slice : c.split) compared += slice.rows.size();
  verdict.elements[static_cast<std::size_t>(Tier::bit_equal)] = compared * c.output_width();
  if (compared == 0) {
    verdict.outcome = Outcome::vacuous;
    verdict.reason = "the split has no rows to compare";
    return verdict;
  }
  if (found.empty()) return verdict;
  verdict.outcome = Outcome::fail;
  verdict.failure = FailureClass::not_bitwise;
  verdict.cause = "batch size";
  verdict.share = 1;
  const Finding worst = parting(c, paths, found.front());
  verdict.worst = forward_evidence(c, worst);
  const Node* node = first_op(trial, found.front());
  const Node& op = node != nullptr ? *node : c.output_node();
  verdict.first_op = op_words(op);
  verdict.worst.reference = worst.b;
  verdict.reason = reason(trial, op_label(c.network, op));
  return verdict;
}

}  // namespace ulpfuzz::properties
