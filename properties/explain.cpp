#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz {
namespace {

/// 12345678 -> "12,345,678".
std::string grouped(std::uint64_t n) {
  const std::string digits = std::to_string(n);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string number(float x) { return fmt::format("{:.9g} ({:a})", x, x); }

std::string_view tier_words(Tier tier) {
  switch (tier) {
    case Tier::exact:
      return "exact: nothing can round";
    case Tier::sound:
      return "sound: any order of summation, FMA, position of the bias";
    case Tier::probabilistic:
      return "probabilistic";
    case Tier::class_only:
      return "only the class is compared";
    default:
      return name(tier);
  }
}

std::string headline(const Property& property, const Subject& subject, const Verdict& verdict) {
  std::string word(name(verdict.outcome));
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string line = fmt::format("{} {}, subject {}", word, property.name, subject.name());
  if (verdict.failed()) line += fmt::format(": {}", name(verdict.failure));
  if (!verdict.cause.empty()) line += ", " + verdict.cause;
  return line;
}

std::string worst_element(const ElementEvidence& e) {
  std::string text = fmt::format("  worst element {}: {} gives {}, {} gives {}", e.where, e.path_a,
                                 number(e.a), e.path_b, number(e.b));
  if (std::isfinite(e.a) && std::isfinite(e.b))
    text += fmt::format(", {} ulp apart", grouped(e.ulps));
  text += fmt::format("\n  difference {:.3g}", e.difference);
  if (e.tier != Tier::class_only && e.tier != Tier::bit_equal) {
    text += fmt::format(", bound {:.3g} ({}), share {:.3g}", e.bound, tier_words(e.tier), e.share);
  }
  return text + fmt::format("; reference {:.17g}\n", e.reference);
}

std::string element_counts(const Verdict& verdict) {
  std::string text = fmt::format("  {} elements", grouped(verdict.element_count()));
  const char* separator = ": ";
  for (std::size_t t = 0; t < tier_count; ++t) {
    if (verdict.elements[t] == 0) continue;
    text +=
        fmt::format("{}{} {}", separator, grouped(verdict.elements[t]), name(static_cast<Tier>(t)));
    separator = ", ";
  }
  return text + "\n";
}

/// What the Caller sets before each call; what a subject made of it is in the reason.
std::string fp_environment(FailureClass failure) {
  return fmt::format("  fp environment: {} before each call{}\n", FpEnvironment{}.describe(),
                     failure == FailureClass::fp_environment ? ", changed by one: see reason" : "");
}

}  // namespace

std::string explain(const Property& property, const Case& c, const Subject& subject,
                    const Verdict& verdict) {
  std::string text = headline(property, subject, verdict) + "\n";
  const bool strict = verdict.failure == FailureClass::not_bitwise;
  text +=
      fmt::format("  claim: {}\n",
                  strict ? "evaluating a row in a batch changes none of its bits" : property.claim);
  text += fmt::format("  case: {}\n", describe(c));
  if (!verdict.worst.where.empty()) text += worst_element(verdict.worst);
  if (!verdict.first_op.empty()) text += fmt::format("  first op: {}\n", verdict.first_op);
  if (!verdict.reason.empty()) text += fmt::format("  reason: {}\n", verdict.reason);
  if (verdict.element_count() != 0) text += element_counts(verdict);
  if (verdict.failed()) text += fp_environment(verdict.failure);
  if (const std::string environment = subject.environment(); !environment.empty()) {
    text += fmt::format("  environment: {}\n", environment);
  }
  return text;
}

}  // namespace ulpfuzz
