#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "cause.hpp"
#include "first_op.hpp"
#include "forward.hpp"

namespace ulpfuzz::properties {
namespace {

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// The evaluation of a failing element that is further from the reference.
struct Culprit {
  const Case& c;
  const ForwardPaths& paths;
  const Place& place;
  bool in_slice;

  const Slice& slice() const { return c.split[place.slice]; }
  std::span<const float> row() const {
    const std::size_t width = c.output_width();
    const float* from = in_slice ? paths.slices[place.slice].data() + place.position * width
                                 : paths.batch.data() + place.row * width;
    return {from, width};
  }
  std::size_t batch() const { return in_slice ? slice().rows.size() + slice().padding : c.batch(); }
};

bool slice_is_worse(const Finding& f) {
  if (f.place.pair != Pair::paths) return f.place.pair == Pair::b_reference;
  const double a = std::fabs(double{f.a} - f.reference);
  const double b = std::fabs(double{f.b} - f.reference);
  return b > a || std::isnan(b);
}

Evaluated evaluation_of(const Culprit& culprit, Gather& gather) {
  const Case& c = culprit.c;
  const auto inputs = culprit.in_slice
                          ? gather.rows(c, culprit.slice().rows, culprit.slice().padding)
                          : gather.whole(c);
  return {c.network, c.parameters, culprit.batch(), inputs,
          culprit.in_slice ? c.layout.slice_offset : c.layout.batch_offset};
}

/// Another row's result in place of this one's, or a neighbour's element.
std::string leak_cause(const Trial& trial, const Culprit& culprit, const Suspect& suspect) {
  const Case& c = trial.c;
  constexpr std::uint32_t most = 256;
  Gather gather;
  for (std::uint32_t r = 0; r < c.batch() && r < most; ++r) {
    if (r == culprit.place.row) continue;
    if (matches(trial.context.analysis, suspect, c.network, c.parameters, gather.rows(c, {&r, 1}),
                suspect.arithmetic)) {
      return "row leak";
    }
  }
  const std::span<const float> row = culprit.row();
  const std::uint32_t column = culprit.place.column;
  const float x = row[column];
  if (x == 0 || std::isnan(x)) return {};
  for (std::uint32_t r = 0; r < c.batch(); ++r) {
    if (r != culprit.place.row && culprit.paths.batch[r * row.size() + column] == x) {
      return "row leak";
    }
  }
  const bool neighbour =
      (column > 0 && row[column - 1] == x) || (column + 1 < row.size() && row[column + 1] == x);
  return neighbour ? "neighbour element" : "";
}

std::string cause_of(const Trial& trial, const Culprit& culprit) {
  Gather gather;
  const Suspect suspect{trial.c.network,
                        trial.c.parameters,
                        gather.rows(trial.c, {&culprit.place.row, 1}),
                        0,
                        culprit.row(),
                        trial.subject.arithmetic(),
                        culprit.batch()};
  const std::string leak = leak_cause(trial, culprit, suspect);
  return leak.empty() ? name_cause(trial.context.analysis, suspect) : leak;
}

std::string first_op_of(const Trial& trial, const Culprit& culprit) {
  Gather whole;
  Gather alone;
  const std::size_t row = culprit.in_slice ? culprit.place.position : culprit.place.row;
  try {
    const std::string op =
        first_op_off_reference(trial.context, trial.subject, evaluation_of(culprit, whole), row,
                               alone.rows(trial.c, {&culprit.place.row, 1}), false);
    if (!op.empty()) return op;
  } catch (const std::exception&) {
    // A subject may refuse inner nodes as outputs; the last op is then all that is known.
  }
  return op_words(trial.c.output_node());
}

/// Same call, other bits? Says so in the verdict and ends the search for another cause.
bool is_nondeterministic(const Trial& trial, const ForwardPaths& paths, Verdict& verdict) {
  const ForwardPaths again = evaluate_forward(trial, trial.c);
  bool same = same_bits(paths.batch, again.batch);
  for (std::size_t s = 0; s < paths.slices.size(); ++s) {
    same = same && same_bits(paths.slices[s], again.slices[s]);
  }
  if (same) return false;
  verdict.failure = FailureClass::nondeterministic;
  verdict.cause = class_cause(FailureClass::nondeterministic);
  verdict.reason += "; the same call gives other bits when repeated";
  return true;
}

}  // namespace

ElementEvidence forward_evidence(const Case& c, const Finding& finding) {
  const Place& p = finding.place;
  ElementEvidence e = evidence(finding);
  e.where = fmt::format("output[row {}][column {}]", p.row, p.column);
  const std::string batch = fmt::format("batch of {}", c.batch());
  std::string slice;
  if (p.pair != Pair::a_reference) {
    const Slice& s = c.split[p.slice];
    slice = "slice " + rows_in_words(s.rows);
    if (s.padding != 0) slice += fmt::format(" with {} rows of padding", s.padding);
  }
  e.path_a = p.pair == Pair::b_reference ? slice : batch;
  e.path_b = p.pair == Pair::paths ? slice : "reference";
  return e;
}

void diagnose_forward(const Trial& trial, const ForwardPaths& paths, const Finding& failure,
                      Verdict& verdict) {
  verdict.worst = forward_evidence(trial.c, failure);
  verdict.reason = reason_in_words(failure, "");
  if (is_nondeterministic(trial, paths, verdict)) return;
  const Culprit culprit{trial.c, paths, failure.place, slice_is_worse(failure)};
  verdict.cause = cause_of(trial, culprit);
  verdict.first_op = first_op_of(trial, culprit);
  verdict.reason = reason_in_words(failure, verdict.cause);
}

}  // namespace ulpfuzz::properties
