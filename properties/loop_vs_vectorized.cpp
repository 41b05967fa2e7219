#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "gradient.hpp"

namespace ulpfuzz::properties {
namespace {

/// Storing a part in fp32 before it is added rounds only what was computed wider: a sum in fp32
/// rounds there anyway. Infinite where the part left the range.
double stored_rounding(float part, bool wide) {
  constexpr double half_least = 0x1p-150;
  if (!std::isfinite(part)) return std::numeric_limits<double>::infinity();
  return wide ? unit_roundoff_fp32 * std::fabs(double{part}) + half_least : 0;
}

std::size_t uses_of(NodeId parameter, const Network& network) {
  std::size_t uses = 0;
  for (const Node& node : network.nodes())
    uses += static_cast<std::size_t>(std::count(node.args.begin(), node.args.end(), parameter));
  return uses;
}

/// What a part may have been rounded by, beyond what the bound of the whole sum allows for. Of a
/// parameter that is used twice the whole is a sum of two sums over all rows, a part one of two
/// sums over its own, and rounds that; of more uses there are roundings that no part shows.
double part_rounding(float part, std::size_t uses, const Arithmetic& arithmetic) {
  const bool wide = arithmetic.accumulate != arithmetic.store;
  if (uses > 2 || (uses == 2 && arithmetic.store != Format::fp32))
    return std::numeric_limits<double>::infinity();
  return stored_rounding(part, wide || uses == 2);
}

/// Gradients of the rows of each slice, added up. Adding in fp64 is more exact than any order of
/// the subject's own sum, and so within its bound.
void add_micro_batches(const GradientTrial& t, const Case& c, GradientPaths& paths) {
  const Arithmetic arithmetic = t.trial.subject.arithmetic();
  std::vector<std::vector<double>> total(paths.whole.size());
  paths.micro_rounding.resize(paths.whole.size());
  for (std::size_t p = 0; p < total.size(); ++p) {
    total[p].assign(paths.whole[p].size(), 0);
    paths.micro_rounding[p].assign(paths.whole[p].size(), 0);
  }
  for (const Slice& slice : c.split) {
    if (slice.rows.empty()) continue;
    const auto part =
        gradient_summed(t.trial.context.caller, t.trial.subject, c, t.derived, slice.rows);
    for (std::size_t p = 0; p < total.size(); ++p) {
      const std::size_t uses = uses_of(c.network.parameters()[p], c.network);
      for (std::size_t i = 0; i < total[p].size(); ++i) {
        total[p][i] += double{part[p][i]};
        paths.micro_rounding[p][i] += part_rounding(part[p][i], uses, arithmetic);
      }
    }
  }
  for (const auto& sum : total) {
    std::vector<float>& rounded = paths.micro.emplace_back(sum.size());
    std::transform(sum.begin(), sum.end(), rounded.begin(),
                   [](double x) { return static_cast<float>(x); });
  }
}

Verdict judge(const GradientTrial& t, const GradientPaths& paths) {
  const Case& c = t.trial.c;
  Verdict verdict;
  if (c.batch() == 0 || c.output_width() == 0) {
    Account().report(false, verdict);
    return verdict;
  }
  Account account = judge_gradients(t, paths);
  if (!account.failed()) {
    settle(account, c, t.trial.subject.arithmetic(),
           [&t](const Case& again, const std::vector<Finding>& alarms) {
             return gradients_exceed_again(t, again, alarms);
           });
  }
  account.report(account.tightest_matters() && model_fits(c, 64), verdict);
  if (account.contradicted_only()) {
    diagnose_contradiction(t, paths, verdict);
  } else if (account.failed()) {
    diagnose_gradient(t, paths, account.failure(), verdict);
  } else if (verdict.outcome == Outcome::pass && verdict.share > 0) {
    verdict.worst = gradient_evidence(t, paths, account.worst());
  }
  return verdict;
}

/// Jacobians are large: their memory serves the next case.
Verdict judge(const GradientTrial& t) {
  GradientPaths paths = evaluate_gradients(t, t.trial.c);
  Verdict verdict = judge(t, paths);
  auto& kept = t.trial.context.jacobians;
  kept.clear();
  if (paths.forward) kept.push_back(std::move(*paths.forward));
  kept.push_back(std::move(paths.reverse));
  kept.push_back(std::move(paths.loop));
  return verdict;
}

Verdict check(const Case& c, const Subject& subject, const CheckOptions& options,
              CheckContext& context) {
  if (auto reason = reason_to_skip(subject, c.network)) return skipped(std::move(*reason));
  const DerivedNetworks derived = derive(c.network);
  for (const Network* network : {&derived.loop, &derived.reverse, &derived.summed}) {
    if (auto reason = subject.unsupported(*network)) return skipped(std::move(*reason));
  }
  const bool with_forward =
      std::none_of(derived.forward.begin(), derived.forward.end(),
                   [&](const Network& network) { return subject.unsupported(network); });
  const Trial trial{c, subject, options, context};
  return guarded([&] { return judge({trial, derived, with_forward}); });
}

}  // namespace

GradientPaths evaluate_gradients(const GradientTrial& t, const Case& c) {
  Caller& caller = t.trial.context.caller;
  const Subject& subject = t.trial.subject;
  GradientPaths paths;
  const auto memory = [&kept = t.trial.context.jacobians] {
    Jacobian old;
    if (kept.empty()) return old;
    old = std::move(kept.back());
    kept.pop_back();
    return old;
  };
  paths.loop = jacobian_loop(caller, subject, c, t.derived, memory());
  paths.reverse = jacobian_reverse(caller, subject, c, t.derived, memory());
  if (t.with_forward) paths.forward = jacobian_forward(caller, subject, c, t.derived, memory());
  evaluate_summed(t, c, paths);
  return paths;
}

void evaluate_summed(const GradientTrial& t, const Case& c, GradientPaths& paths) {
  for (const Slice& slice : c.split) {
    paths.rows.insert(paths.rows.end(), slice.rows.begin(), slice.rows.end());
  }
  if (paths.rows.empty() || c.cotangents.data.empty()) return;
  paths.whole = gradient_summed(t.trial.context.caller, t.trial.subject, c, t.derived, paths.rows);
  add_micro_batches(t, c, paths);
}

constinit const Property loop_vs_vectorized{
    .name = "loop_vs_vectorized",
    .claim =
        "gradients computed one row and one output at a time equal those computed for all at "
        "once, in reverse and in forward mode, and summed over the batch whole or in parts, "
        "up to what the claimed arithmetic may round",
    .needs_gradient = true,
    .supports_bitwise = false,
    .check = check};

}  // namespace ulpfuzz::properties
