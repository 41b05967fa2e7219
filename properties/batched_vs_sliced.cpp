#include <algorithm>
#include <cstring>
#include <optional>

#include "equal_bits.hpp"
#include "forward.hpp"

namespace ulpfuzz::properties {

ForwardPaths evaluate_forward(const Trial& trial, const Case& c) {
  ForwardPaths paths;
  Caller& caller = trial.context.caller;
  paths.batch = forward_batched(caller, trial.subject, c);
  paths.slices = forward_slices(caller, trial.subject, c);
  return paths;
}

std::vector<Occurrence> differing(const Case& c, const ForwardPaths& paths) {
  std::vector<Occurrence> found;
  const std::size_t width = c.output_width();
  for (std::uint32_t s = 0; s < c.split.size(); ++s) {
    const std::vector<std::uint32_t>& rows = c.split[s].rows;
    for (std::uint32_t p = 0; p < rows.size(); ++p) {
      const float* a = paths.batch.data() + rows[p] * width;
      const float* b = paths.slices[s].data() + p * width;
      if (!equal_bits({a, width}, {b, width})) found.push_back({rows[p], s, p});
    }
  }
  return found;
}

namespace {

/// Judges the rows that differ, and one probe row against the reference: a fault that both paths
/// share shows nowhere else.
class ForwardJudge {
 public:
  ForwardJudge(const Trial& trial, const ForwardPaths& paths)
      : trial_(trial),
        paths_(paths),
        width_(trial.c.output_width()),
        lambda_(bounds::lambda(paths.batch.size(), trial.options.eps)),
        differing_(differing(trial.c, paths)) {}

  Account judge() {
    const BoundClock clock(trial_.context);
    count_equal_rows();
    choose_rows();
    trial_.context.analysis.run(trial_.c.network, trial_.c.parameters, rows_.size(),
                                gather_.rows(trial_.c, rows_), trial_.subject.arithmetic());
    refined_.assign(rows_.size(), false);
    judge_probe();
    for (const Occurrence& o : differing_) judge_occurrence(o);
    tighten_share();
    return std::move(account_);
  }

 private:
  void count_equal_rows() {
    std::size_t compared = 0;
    for (const Slice& slice : trial_.c.split) compared += slice.rows.size();
    account_.count(Tier::bit_equal, (compared - differing_.size()) * width_);
  }

  /// Entry e of the analysis is batch row rows_[e].
  void choose_rows() {
    const std::size_t batch = trial_.c.batch();
    entry_.assign(batch, none);
    probe_ = static_cast<std::uint32_t>(fingerprint(trial_.c) % batch);
    rows_.push_back(probe_);
    for (const Occurrence& o : differing_) rows_.push_back(o.row);
    std::sort(rows_.begin(), rows_.end());
    rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
    for (std::uint32_t e = 0; e < rows_.size(); ++e) entry_[rows_[e]] = e;
  }

  const float* batch_row(std::uint32_t row) const { return paths_.batch.data() + row * width_; }
  const float* slice_row(const Occurrence& o) const {
    return paths_.slices[o.slice].data() + o.position * width_;
  }

  void judge_probe() {
    const std::uint32_t entry = entry_[probe_];
    const float* a = batch_row(probe_);
    const bounds::OutputBounds bounds = trial_.context.analysis.output(0);
    for (std::uint32_t col = 0; col < width_ && !refined_[entry]; ++col) {
      const Side s = side(bounds, entry * width_ + col);
      if (judge_reference(a[col], s, lambda_, false).ruling == Ruling::refine) refine(entry);
    }
    for (std::uint32_t col = 0; col < width_; ++col) {
      const Side s = side(bounds, entry * width_ + col);
      const Place place{.pair = Pair::a_reference, .row = probe_, .column = col};
      account_.add(place, a[col], 0, s.reference, judge_reference(a[col], s, lambda_, true));
    }
  }

  void judge_occurrence(const Occurrence& o) {
    const std::uint32_t entry = entry_[o.row];
    const float* a = batch_row(o.row);
    const float* b = slice_row(o);
    const QuickRow row = quick_row(a, b, trial_.context.analysis.output(0), entry * width_, width_);
    const QuickResult quick =
        judge_quickly(row, account_.limits(lambda_, bounds::Comparison::paths, true));
    if (quick.passes) return account_.add(quick);
    if (!refined_[entry] && wants_refinement(entry, a, b)) refine(entry);
    const bounds::OutputBounds bounds = trial_.context.analysis.output(0);
    for (std::uint32_t col = 0; col < width_; ++col) {
      const Side s = side(bounds, entry * width_ + col);
      Place place{.row = o.row, .column = col, .slice = o.slice, .position = o.position};
      if (std::memcmp(a + col, b + col, sizeof(float)) == 0) {
        account_.count(Tier::bit_equal, 1);
      } else {
        const Judged judged = judge_paths(a[col], b[col], s, s, lambda_, true);
        account_.add(place, a[col], b[col], s.reference, judged);
        note_share(entry, judged, s);
        place.pair = Pair::b_reference;
        account_.add_check(place, a[col], b[col], s.reference,
                           judge_reference(b[col], s, lambda_, true));
      }
      place.pair = Pair::a_reference;
      account_.add_check(place, a[col], b[col], s.reference,
                         judge_reference(a[col], s, lambda_, true));
    }
  }

  bool wants_refinement(std::uint32_t entry, const float* a, const float* b) const {
    const bounds::OutputBounds bounds = trial_.context.analysis.output(0);
    for (std::uint32_t col = 0; col < width_; ++col) {
      const Side s = side(bounds, entry * width_ + col);
      if (judge_paths(a[col], b[col], s, s, lambda_, false).ruling == Ruling::refine ||
          judge_reference(a[col], s, lambda_, false).ruling == Ruling::refine ||
          judge_reference(b[col], s, lambda_, false).ruling == Ruling::refine) {
        return true;
      }
    }
    return false;
  }

  void refine(std::uint32_t entry) {
    trial_.context.analysis.refine(entry);
    refined_[entry] = true;
  }

  /// What the share would be if all but the last op made no error.
  void note_share(std::uint32_t entry, const Judged& judged, const Side& s) {
    const double limit = judged.difference / std::max(2 * s.local, 0x1p-1000);
    if (judged.tier == Tier::none || limit <= largest_limit_) return;
    largest_limit_ = limit;
    largest_entry_ = entry;
  }

  /// The share that is reported has the tightest bound, where it may be of interest.
  void tighten_share() {
    if (largest_limit_ < share_of_interest || refined_[largest_entry_]) return;
    refine(largest_entry_);
    const bounds::OutputBounds bounds = trial_.context.analysis.output(0);
    for (const Occurrence& o : differing_) {
      if (entry_[o.row] != largest_entry_) continue;
      for (std::uint32_t col = 0; col < width_; ++col) {
        const Side s = side(bounds, largest_entry_ * width_ + col);
        const float a = batch_row(o.row)[col];
        const float b = slice_row(o)[col];
        const Place place{.row = o.row, .column = col, .slice = o.slice, .position = o.position};
        account_.add_check(place, a, b, s.reference, judge_paths(a, b, s, s, lambda_, true));
      }
    }
  }

  static constexpr std::uint32_t none = ~0u;
  static constexpr double share_of_interest = 0.25;

  const Trial& trial_;
  const ForwardPaths& paths_;
  std::size_t width_;
  double lambda_;
  std::vector<Occurrence> differing_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> entry_;
  std::vector<bool> refined_;
  std::uint32_t probe_ = 0;
  double largest_limit_ = 0;
  std::uint32_t largest_entry_ = 0;
  Gather gather_;
  Account account_;
};

/// The alarms that a version of the case with other low bits raises again.
std::vector<bool> exceeds_again(const Trial& trial, const Case& again,
                                const std::vector<Finding>& alarms) {
  const ForwardPaths paths = evaluate_forward(trial, again);
  const std::size_t width = again.output_width();
  const double lambda = bounds::lambda(paths.batch.size(), trial.options.eps);
  Gather gather;
  std::vector<bool> result;
  const BoundClock clock(trial.context);
  std::optional<std::uint32_t> analysed;  // alarms of one row follow each other
  for (const Finding& alarm : alarms) {
    const Place& p = alarm.place;
    if (p.row != analysed) {
      trial.context.analysis.run(again.network, again.parameters, 1,
                                 gather.rows(again, {&p.row, 1}), trial.subject.arithmetic(), {},
                                 confirming);
      trial.context.analysis.refine(0);
      analysed = p.row;
    }
    const Side s = side(trial.context.analysis.output(0), p.column);
    const float a = paths.batch[p.row * width + p.column];
    const bool in_slice = p.pair != Pair::a_reference;
    const float b = in_slice ? paths.slices[p.slice][p.position * width + p.column] : a;
    const Judged judged = p.pair == Pair::paths
                              ? judge_paths(a, b, s, s, lambda, true)
                              : judge_reference(in_slice ? b : a, s, lambda, true);
    result.push_back(judged.ruling == Ruling::alarm || judged.ruling == Ruling::fail);
  }
  return result;
}

Verdict judge(const Trial& trial) {
  const Case& c = trial.c;
  const ForwardPaths paths = evaluate_forward(trial, c);
  if (paths.batch.empty()) {
    Verdict verdict;
    Account().report(false, verdict);
    return verdict;
  }
  if (trial.options.bitwise) return judge_bitwise(trial, paths);
  Account account = ForwardJudge(trial, paths).judge();
  if (!account.failed()) {
    settle(account, c, trial.subject.arithmetic(),
           [&trial](const Case& again, const std::vector<Finding>& alarms) {
             return exceeds_again(trial, again, alarms);
           });
  }
  Verdict verdict;
  account.report(account.tightest_matters() && model_fits(c, 64), verdict);
  if (account.failed()) {
    diagnose_forward(trial, paths, account.failure(), verdict);
  } else if (verdict.outcome == Outcome::pass && verdict.share > 0) {
    verdict.worst = forward_evidence(trial, account.worst());
  }
  return verdict;
}

Verdict check(const Case& c, const Subject& subject, const CheckOptions& options,
              CheckContext& context) {
  if (auto reason = reason_to_skip(subject, c.network)) return skipped(std::move(*reason));
  return guarded([&] { return judge({c, subject, options, context}); });
}

}  // namespace

constinit const Property batched_vs_sliced{
    .name = "batched_vs_sliced",
    .claim =
        "rows evaluated in a batch equal the same rows evaluated in slices, and both the exact "
        "result, up to what the claimed arithmetic may round",
    .needs_gradient = false,
    .supports_bitwise = true,
    .check = check};

}  // namespace ulpfuzz::properties
