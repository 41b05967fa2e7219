#include "same_failure.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "ulpfuzz/network/op.hpp"
#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz {
namespace shrinking {
namespace {

bool unexplained(std::string_view cause) {
  return cause.empty() || cause.find("unexplained") != std::string_view::npos;
}

/// What a verdict without a named cause says it looks like: "zero or row leak" at the end of its
/// reason.
std::vector<std::string_view> suggestions(std::string_view reason) {
  constexpr std::string_view before = "; looks like: ", between = " or ";
  std::vector<std::string_view> all;
  std::size_t at = reason.rfind(before);
  if (at == std::string_view::npos) return all;
  for (at += before.size();; at += between.size()) {
    const std::size_t end = reason.find(between, at);
    all.push_back(reason.substr(at, end - at));
    if (end == std::string_view::npos) return all;
    at = end;
  }
}

/// What may explain a failure: the named cause, else what it looks like.
std::vector<std::string_view> explanations(const Verdict& verdict) {
  if (!unexplained(verdict.cause)) return {verdict.cause};
  return suggestions(verdict.reason);
}

/// A named cause must be among what may explain the other one, if anything may.
bool causes_agree(const Verdict& a, const Verdict& b) {
  if (unexplained(a.cause) && unexplained(b.cause)) return true;
  const auto of_a = explanations(a), of_b = explanations(b);
  const auto holds = [](const auto& all, std::string_view cause) {
    return all.empty() || std::ranges::count(all, cause) > 0;
  };
  return unexplained(a.cause) ? holds(of_a, b.cause) : holds(of_b, a.cause);
}

/// Ops that edits turn into each other, or that are parts of each other's gradients, as one.
std::string_view family(std::string_view op) {
  constexpr std::string_view derivative = "derivative of ";
  if (op.starts_with(derivative)) return derivative;
  const std::optional<Op> known = op_from(op);
  if (known && is_activation(*known)) return "activation";
  if (known == Op::matmul || known == Op::outer_sum) return name(Op::linear);
  return op;
}

/// At another kind of op it is the same failure only if the same cause alone explains both.
bool ops_agree(const Verdict& a, const Verdict& b) {
  if (a.first_op.empty() || b.first_op.empty()) return true;
  if (family(a.first_op) == family(b.first_op)) return true;
  return !unexplained(a.cause) && explanations(b) == explanations(a);
}

}  // namespace

bool same_kind(const Verdict& original, const Verdict& candidate) {
  if (!candidate.failed() || candidate.failure != original.failure) return false;
  if (!causes_agree(original, candidate)) return false;
  if (original.failure == FailureClass::not_bitwise && !original.first_op.empty())
    return candidate.first_op == original.first_op;
  return ops_agree(original, candidate);
}

double least_share(const Verdict& original) {
  if (original.failure != FailureClass::beyond_bound) return 0;
  return std::clamp(original.share / 2, 1.0, 2.0);
}

}  // namespace shrinking

bool same_failure(const Verdict& original, const Verdict& candidate) {
  return shrinking::same_kind(original, candidate) &&
         candidate.share >= shrinking::least_share(original);
}

}  // namespace ulpfuzz
