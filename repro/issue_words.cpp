#include "issue_words.hpp"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "plain_words.hpp"

namespace ulpfuzz::repro {
namespace {

std::string_view short_words(FailureClass failure) {
  switch (failure) {
    case FailureClass::beyond_bound:
      return "differ by more than rounding allows";
    case FailureClass::nonfinite_mismatch:
      return "disagree about NaN or infinity";
    case FailureClass::not_bitwise:
      return "differ in their bits";
    default:
      return {};
  }
}

std::string_view conduct(FailureClass failure) {
  switch (failure) {
    case FailureClass::unwritten:
      return "leaves an element of its output unwritten";
    case FailureClass::out_of_bounds:
      return "writes outside its output";
    case FailureClass::fp_environment:
      return "leaves the floating-point environment changed";
    case FailureClass::exception:
      return "throws";
    case FailureClass::crash:
      return "crashes";
    case FailureClass::hang:
      return "does not return";
    case FailureClass::out_of_memory:
      return "takes memory without end";
    default:
      return "fails";
  }
}

std::string tier_words(Tier tier) {
  switch (tier) {
    case Tier::sound:
      return "The bound is rigorous: no order of summation, use of FMA or position of the bias "
             "exceeds it.";
    case Tier::probabilistic:
      return "The bound is probabilistic: roundings that behave as if independent exceed it less "
             "than once in a billion cases, and the difference came back when low bits of the "
             "inputs were changed.";
    default:
      return {};
  }
}

}  // namespace

std::string sentence(std::string text) {
  text = one_line(std::move(text));
  while (text.ends_with('.')) text.pop_back();
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

bool judged_by_size(const Failure& f) { return f.verdict.failure == FailureClass::beyond_bound; }

std::string title(const Failure& f) {
  const ElementEvidence& e = f.verdict.worst;
  if (e.where.empty()) return fmt::format("{} {}", f.subject.name(), conduct(f.verdict.failure));
  if (f.verdict.failure == FailureClass::nondeterministic)
    return fmt::format("{}: results of {} change from call to call", f.subject.name(), e.path_a);
  if (e.path_b == "reference")
    return fmt::format("{}: {} and the exact result {}", f.subject.name(), e.path_a,
                       short_words(f.verdict.failure));
  return fmt::format("{}: {} and {} {}", f.subject.name(), e.path_a, e.path_b,
                     short_words(f.verdict.failure));
}

std::string batch_words(const Case& c) {
  return fmt::format("a batch of {} row{}", c.batch(), c.batch() == 1 ? "" : "s");
}

std::string claim_in_words(const Failure& f) {
  switch (f.verdict.failure) {
    case FailureClass::not_bitwise:
      return "evaluating a row in a batch changes none of its bits";
    case FailureClass::nondeterministic:
      return "the same call gives the same bits when it is repeated";
    case FailureClass::unwritten:
      return "every element of an output is written";
    case FailureClass::out_of_bounds:
      return "nothing outside an output is written";
    case FailureClass::fp_environment:
      return "the floating-point environment is left as it was";
    case FailureClass::exception:
    case FailureClass::crash:
    case FailureClass::hang:
    case FailureClass::out_of_memory:
      return "the call returns";
    default:
      return std::string(f.property.claim);
  }
}

std::string severity(const Failure& f) {
  const ElementEvidence& e = f.verdict.worst;
  if (f.verdict.failure == FailureClass::nondeterministic)
    return "The same call gives something else when it is repeated.";
  if (!judged_by_size(f)) return "";
  if (e.bound > 0)
    return fmt::format("The difference is {:.3g} times what rounding allows.", e.share);
  return "Rounding allows no difference at all here.";
}

std::string bound_in_words(const Failure& f) {
  if (!judged_by_size(f)) return "";
  const ElementEvidence& e = f.verdict.worst;
  const std::string by = f.claim.empty()
                             ? fmt::format("the arithmetic that `{}` claims", f.subject.name())
                             : fmt::format("{} arithmetic", f.claim);
  if (!(e.bound > 0))
    return fmt::format("In {} nothing can round on these numbers: the two have to be equal.", by);
  return fmt::format("In {} the two may differ by at most {:.3g} here. {}", by, e.bound,
                     tier_words(e.tier));
}

std::string cause_in_words(const Failure& f) {
  if (f.verdict.failure == FailureClass::nondeterministic)
    return "The same call gives other results when it is repeated; what varies inside is not "
           "known.";
  if (f.verdict.worst.where.empty()) return "";
  if (f.verdict.failure == FailureClass::not_bitwise) return sentence(f.verdict.reason) + ".";
  const auto known = [](const std::string& cause) {
    return !cause.empty() && cause != "unexplained";
  };
  const bool here = known(f.verdict.cause);
  const std::string named = one_line(here ? f.verdict.cause : f.cause);
  const std::string where =
      here ? "" : " (as seen on the larger case that this one was shrunk from)";
  if (!known(named))
    return fmt::format("Not known: no usual mistake, recomputed, gives these values. {}.",
                       sentence(f.verdict.reason));
  if (named.starts_with("consistent with"))
    return fmt::format(
        "**{}**{}: that arithmetic allows these values, the claimed one does not. Something else "
        "may do so, too.",
        sentence(named), where);
  return fmt::format("Most likely **{}**{}: recomputed with that mistake, the values come out.",
                     named, where);
}

}  // namespace ulpfuzz::repro
