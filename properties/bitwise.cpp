#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "equal_bits.hpp"
#include "first_op.hpp"
#include "forward.hpp"

namespace ulpfuzz::properties {
namespace {

/// Rows 0, 1, ... of the case, again from the first where it has fewer.
std::vector<std::uint32_t> first_rows(const Case& c, std::uint32_t n) {
  std::vector<std::uint32_t> rows(n);
  for (std::uint32_t i = 0; i < n; ++i) rows[i] = i % static_cast<std::uint32_t>(c.batch());
  return rows;
}

/// Where the bits of rows change with the number of rows that are evaluated together.
struct Change {
  bool single_row = false;  ///< a row alone has other bits than in a batch of two
  std::optional<std::uint32_t>
      batch;               ///< least batch whose rows leave the bits that they have first of two
  std::uint32_t most = 0;  ///< largest batch that was looked at
};

/// Row r as the first of two rows.
std::vector<float> first_of_two(const Trial& trial, std::uint32_t r) {
  const std::uint32_t other = (r + 1) % static_cast<std::uint32_t>(trial.c.batch());
  std::vector<float> both =
      forward_slice(trial.context.caller, trial.subject, trial.c, {{r, other}, 0});
  both.resize(both.size() / 2);
  return both;
}

/// Of the rows that both have: a batch of the first n is held against all rows in twos.
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  const std::size_t n = std::min(a.size(), b.size());
  return equal_but_for_nan({a.data(), n}, {b.data(), n});
}

std::uint32_t rows_evaluated(const Slice& slice) {
  return static_cast<std::uint32_t>(slice.rows.size()) + slice.padding;
}

Change find_change(const Trial& trial) {
  const Case& c = trial.c;
  Caller& caller = trial.context.caller;
  Change change;
  std::vector<float> twos;
  for (std::uint32_t r = 0; r < c.batch(); ++r) {
    const std::vector<float> row = first_of_two(trial, r);
    change.single_row |= !same(row, forward_slice(caller, trial.subject, c, {{r}, 0}));
    twos.insert(twos.end(), row.begin(), row.end());
  }
  change.most = static_cast<std::uint32_t>(c.batch());
  for (const Slice& slice : c.split) change.most = std::max(change.most, rows_evaluated(slice));
  for (std::uint32_t n = 2; n <= change.most && !change.batch; ++n) {
    const auto rows = forward_slice(caller, trial.subject, c, {first_rows(c, n), 0});
    if (!same(rows, twos)) change.batch = n;
  }
  return change;
}

/// Gemv for one row and gemm for more is one thing, gemm that changes with the batch another.
bool of_one_and_many_rows(const Case& c, const Occurrence& o) {
  return (c.batch() == 1) != (rows_evaluated(c.split[o.slice]) == 1);
}

/// "place": the number of rows does not explain what differs. Two rows of which the second has
/// other bits than as the first differ in nothing else either.
std::string_view cause_of(const Change& change, bool one_and_many) {
  if (change.batch && *change.batch > 2) return "batch size";
  return change.single_row && !change.batch && one_and_many ? "single row" : "place";
}

const Node* first_op(const Trial& trial, const Occurrence& o) {
  const Case& c = trial.c;
  const Slice& slice = c.split[o.slice];
  Gather whole;
  Gather part;
  const Evaluated a{c.network, c.parameters, c.batch(), whole.whole(c), c.layout.batch_offset};
  const Evaluated b{c.network, c.parameters, slice.rows.size() + slice.padding,
                    part.rows(c, slice.rows, slice.padding), c.layout.slice_offset};
  return first_op_that_parts(trial.context, trial.subject, a, o.row, b, o.position);
}

bool differs_by_nan_alone(const Case& c, const ForwardPaths& paths, const Occurrence& o) {
  const std::size_t width = c.output_width();
  return equal_but_for_nan({paths.batch.data() + o.row * width, width},
                           {paths.slices[o.slice].data() + o.position * width, width});
}

/// The first element of the occurrence whose bits differ.
Finding parting(const Case& c, const ForwardPaths& paths, const Occurrence& o) {
  const std::size_t width = c.output_width();
  const float* a = paths.batch.data() + o.row * width;
  const float* b = paths.slices[o.slice].data() + o.position * width;
  std::uint32_t column = 0;
  while (equal_but_for_nan(a[column], b[column])) ++column;
  Finding finding;
  finding.place = {.row = o.row, .column = column, .slice = o.slice, .position = o.position};
  finding.a = a[column];
  finding.b = b[column];
  finding.judged.tier = Tier::bit_equal;
  finding.judged.difference = std::fabs(double{finding.a} - double{finding.b});
  return finding;
}

std::string reason(const Change& change, std::string_view cause) {
  if (cause == "single row") {
    const std::string text = "rows change from batch 2 on: a row alone has other bits";
    return change.most > 2 ? text + fmt::format(", batches of 2 to {} agree", change.most) : text;
  }
  std::string text;
  if (change.batch && *change.batch > 2) {
    text = fmt::format(
        "rows change from batch {} on (at batch {} they have the bits that they have "
        "in a batch of two{})",
        *change.batch, *change.batch - 1, change.single_row ? "" : " and alone");
  } else if (change.batch) {
    text = "rows change from batch 2 on: their bits depend on their place in it";
  } else {
    text =
        "the number of rows does not explain it: bits depend on the row's place in the batch or "
        "in memory";
  }
  return text + (change.single_row ? "; a row alone has other bits still" : "");
}

/// Elements whose bits differ.
std::size_t count_differing(const Case& c, const ForwardPaths& paths,
                            const std::vector<Occurrence>& found) {
  std::size_t count = 0;
  const std::size_t width = c.output_width();
  for (const Occurrence& o : found) {
    for (std::size_t i = 0; i < width; ++i) {
      count += !equal_but_for_nan(paths.batch[o.row * width + i],
                                  paths.slices[o.slice][o.position * width + i]);
    }
  }
  return count;
}

}  // namespace

Verdict judge_bitwise(const Trial& trial, const ForwardPaths& paths) {
  const Case& c = trial.c;
  std::vector<Occurrence> found = differing(c, paths);
  std::erase_if(found, [&](const Occurrence& o) { return differs_by_nan_alone(c, paths, o); });
  Verdict verdict;
  std::size_t compared = 0;
  for (const Slice& slice : c.split) compared += slice.rows.size();
  // Each element's bound is 0 here: it has equal bits, or it is beyond.
  const std::size_t differ = count_differing(c, paths, found);
  verdict.elements[static_cast<std::size_t>(Tier::bit_equal)] =
      compared * c.output_width() - differ;
  verdict.elements[static_cast<std::size_t>(Tier::exact)] = differ;
  if (compared == 0) {
    verdict.outcome = Outcome::vacuous;
    verdict.reason = "the split has no rows to compare";
    return verdict;
  }
  if (found.empty()) return verdict;
  verdict.outcome = Outcome::fail;
  verdict.failure = FailureClass::not_bitwise;
  verdict.share = 1;
  // Two batches of many rows say more than one of them beside a row alone.
  const auto many = std::find_if_not(
      found.begin(), found.end(), [&c](const Occurrence& o) { return of_one_and_many_rows(c, o); });
  const Occurrence& shown = many != found.end() ? *many : found.front();
  const Finding parted = parting(c, paths, shown);
  verdict.worst = forward_evidence(trial, parted);
  verdict.worst.reference = verdict.worst.b;
  if (differs_when_repeated(trial, paths, parted)) {
    verdict.failure = FailureClass::nondeterministic;
    verdict.cause = class_cause(verdict.failure);
    verdict.reason = "the same call gives other bits when repeated";
    return verdict;
  }
  const Change change = find_change(trial);
  verdict.cause = cause_of(change, many == found.end());
  const Node* node = first_op(trial, shown);
  const Node& op = node != nullptr ? *node : c.output_node();
  verdict.first_op = op_words(op);
  verdict.reason =
      fmt::format("{} of {} elements differ; {}; first op {}", differ, compared * c.output_width(),
                  reason(change, verdict.cause), op_label(c.network, op));
  return verdict;
}

}  // namespace ulpfuzz::properties
