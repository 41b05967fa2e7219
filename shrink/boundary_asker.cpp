#include "boundary_asker.hpp"

#include <algorithm>
#include <string_view>

namespace ulpfuzz::shrinking {
namespace {

constexpr std::uint64_t usual_work = std::uint64_t{1} << 20;

bool names_formats(std::string_view cause) { return cause.starts_with("consistent with"); }

/// Multiply-adds and elements of one row.
std::uint64_t row_work(const Network& network) {
  std::uint64_t work = 0;
  for (const Node& node : network.nodes()) {
    if (node.op == Op::parameter) continue;
    std::uint64_t terms = 1;
    if (node.op == Op::linear) terms += network.node(node.args[1]).shape.cols;
    if (node.op == Op::matmul) {
      const Shape a = network.node(node.args[0]).shape;
      terms += node.transpose_a ? a.rows : a.cols;
    }
    work += node.shape.size() * terms;
  }
  return work;
}

std::uint64_t work(const Case& c, bool gradient) {
  std::uint64_t rows = c.batch(), features = 0, parameters = 0;
  for (const Slice& slice : c.split) rows += slice.rows.size() + slice.padding;
  for (const Tensor& t : c.inputs) features += t.cols;
  for (const Tensor& t : c.parameters) parameters += t.data.size();
  const std::uint64_t forward = rows * row_work(c.network) + parameters;
  if (!gradient) return forward;
  // Reverse mode by outputs, forward mode by inputs and parameters.
  const std::uint64_t outputs = c.output_width();
  return forward * (1 + outputs) + c.batch() * outputs * (features + parameters);
}

}  // namespace

Asker::Asker(const Shrunk& failing, const Judge& judge, const BoundaryOptions& budget)
    : failing_(failing),
      judge_(judge),
      budget_(budget),
      limit_(budget.evaluations),
      kept_(failing.verdict),
      most_work_(std::max(usual_work, 2 * work(failing.value, by_gradient()))) {
  // Another size has another share: beyond the bound is what counts.
  kept_.share = std::min(kept_.share, 1.0);
}

bool Asker::spent() const {
  if (asked_ >= limit_ || (budget_.cancelled && budget_.cancelled())) return true;
  return std::chrono::duration<double>(Clock::now() - start_).count() >= budget_.seconds;
}

void Asker::allow(std::uint64_t evaluations) {
  limit_ = asked_ + std::min(evaluations, remaining());
}

Verdict Asker::once(const Case& c) {
  ++asked_;
  return judge_(c);
}

Verdict Asker::ask(const Case& c) {
  const auto& [wanted, tries] = budget_.confirmation;
  Verdict shown = once(c);
  unsigned failed = alike(shown) ? 1 : 0;
  unsigned tried = 1;
  for (; tried < tries && failed < wanted && !spent(); ++tried) {
    Verdict again = once(c);
    if (!alike(again)) continue;
    ++failed;
    shown = std::move(again);
  }
  if (failed >= wanted || (failed == 0 && tried >= tries)) return shown;
  Verdict undecided;
  undecided.outcome = Outcome::skip;
  undecided.reason = "fails now and then";
  return undecided;
}

bool Asker::alike(const Verdict& verdict) const {
  if (!names_formats(kept_.cause) || !names_formats(verdict.cause))
    return same_failure(kept_, verdict);
  Verdict same = verdict;
  same.cause = kept_.cause;
  return same_failure(kept_, same);
}

bool Asker::passes(const Verdict& verdict) const {
  if (verdict.outcome == Outcome::pass) return true;
  if (verdict.outcome != Outcome::vacuous) return false;
  switch (failing_.verdict.failure) {
    case FailureClass::unwritten:
    case FailureClass::out_of_bounds:
    case FailureClass::fp_environment:
    case FailureClass::exception:
    case FailureClass::crash:
    case FailureClass::hang:
    case FailureClass::out_of_memory:
      return true;
    default:
      return false;
  }
}

bool Asker::affordable(const Case& c) const { return work(c, by_gradient()) <= most_work_; }

}  // namespace ulpfuzz::shrinking
