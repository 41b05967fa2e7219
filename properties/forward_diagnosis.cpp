#include <fmt/format.h>

#include <cmath>

#include "cause.hpp"
#include "equal_bits.hpp"
#include "first_op.hpp"
#include "forward.hpp"
#include "judge.hpp"

namespace ulpfuzz::properties {
namespace {

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return equal_bits(a, b);
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

/// The rows of an evaluation, the failing one first: all, or as many as a diagnosis can afford.
Scene scene_of(const Trial& trial, const Culprit& culprit) {
  const Case& c = trial.c;
  const auto width = static_cast<std::uint32_t>(c.output_width());
  Scene scene{.network = c.network,
              .parameters = c.parameters,
              .arithmetic = trial.subject.arithmetic(),
              .batch = culprit.batch(),
              .inputs = [&c](Gather& gather, std::span<const Gather::Entry> entries) {
                std::vector<std::uint32_t> rows;
                for (const Gather::Entry& e : entries) rows.push_back(e.row);
                return gather.rows(c, rows);
              }};
  const auto add = [&](std::uint32_t row, const float* values) {
    const auto entry = static_cast<std::uint32_t>(scene.entries.size());
    scene.entries.push_back({row, 0});
    for (std::uint32_t i = 0; i < width; ++i) {
      scene.elements.push_back({entry, 0, entry * width + i, values[i]});
    }
  };
  add(culprit.place.row, culprit.row().data());
  const auto full = [&] { return scene.elements.size() + width > most_elements; };
  for (std::uint32_t r = 0; !culprit.in_slice && r < c.batch() && !full(); ++r) {
    if (r != culprit.place.row) add(r, culprit.paths.batch.data() + r * width);
  }
  for (std::uint32_t s = 0; culprit.in_slice && s < c.split.size(); ++s) {
    const Slice& slice = c.split[s];
    if (slice.rows.size() + slice.padding != culprit.batch()) continue;
    for (std::uint32_t p = 0; p < slice.rows.size() && !full(); ++p) {
      if (s == culprit.place.slice && p == culprit.place.position) continue;
      add(slice.rows[p], culprit.paths.slices[s].data() + p * width);
    }
  }
  scene.case_rows = static_cast<std::uint32_t>(c.batch());
  scene.shift = 1;
  scene.entry_size = width;
  return scene;
}

std::string first_op_of(const Trial& trial, const Culprit& culprit) {
  Gather whole;
  Gather alone;
  const std::size_t row = culprit.in_slice ? culprit.place.position : culprit.place.row;
  const std::string op =
      first_op_off_reference(trial.context, trial.subject, evaluation_of(culprit, whole), row,
                             alone.rows(trial.c, {&culprit.place.row, 1}), false);
  return op.empty() ? op_words(trial.c.output_node()) : op;
}

}  // namespace

bool differs_when_repeated(const Trial& trial, const ForwardPaths& paths, const Finding& failure) {
  const Case& c = trial.c;
  Caller& caller = trial.context.caller;
  const Place& p = failure.place;
  const auto differs = [&](const std::vector<float>& first, const std::vector<float>& again,
                           std::size_t row) {
    if (trial.subject.deterministic()) return !same_bits(first, again);
    const std::size_t i = row * c.output_width() + p.column;
    return repeated_differs(first[i], again[i], failure.judged.sound);
  };
  // In a row: no period is a divisor of each number of calls in between.
  for (int k = 0; k < repetitions; ++k) {
    if (differs(paths.batch, forward_batched(caller, trial.subject, c), p.row)) return true;
  }
  for (int k = 0; k < repetitions && p.pair != Pair::a_reference; ++k) {
    const auto again = forward_slice(caller, trial.subject, c, c.split[p.slice]);
    if (differs(paths.slices[p.slice], again, p.position)) return true;
  }
  return false;
}

ElementEvidence forward_evidence(const Trial& trial, const Finding& finding) {
  const Case& c = trial.c;
  const Place& p = finding.place;
  ElementEvidence e = evidence(finding, trial.subject.arithmetic());
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
  verdict.worst = forward_evidence(trial, failure);
  verdict.reason = reason_in_words(failure, {});
  if (differs_when_repeated(trial, paths, failure)) {
    verdict.failure = FailureClass::nondeterministic;
    verdict.cause = class_cause(verdict.failure);
    verdict.reason += "; the same call gives something else when repeated";
    return;
  }
  const Culprit culprit{trial.c, paths, failure.place, slice_is_worse(failure)};
  const Cause cause = name_cause(trial.context.analysis, scene_of(trial, culprit));
  verdict.cause = cause.named;
  verdict.first_op = first_op_of(trial, culprit);
  verdict.reason = reason_in_words(failure, cause);
}

}  // namespace ulpfuzz::properties
