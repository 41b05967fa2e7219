#include <algorithm>
#include <utility>

#include "gradient.hpp"

namespace ulpfuzz::properties {
namespace {

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
