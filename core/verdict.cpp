#include "ulpfuzz/core/verdict.hpp"

#include <algorithm>
#include <numeric>

namespace ulpfuzz {
namespace {

// Each table is in the order of its enum; the words are those of JSON files and bucket names.
constexpr std::array<std::string_view, 4> outcome_names{"pass", "fail", "vacuous", "skip"};
constexpr std::array<std::string_view, tier_count> tier_names{
    "bit_equal", "exact", "sound", "probabilistic", "class_only", "none"};
constexpr std::array<std::string_view, 12> failure_names{
    "none",        "beyond_bound",     "nonfinite_mismatch", "unwritten", "out_of_bounds",
    "not_bitwise", "nondeterministic", "fp_environment",     "exception", "crash",
    "hang",        "out_of_memory"};

template <std::size_t N, class Enum>
std::string_view word(const std::array<std::string_view, N>& table, Enum e) {
  const auto i = static_cast<std::size_t>(e);
  return i < N ? table[i] : std::string_view{"unknown"};
}

}  // namespace

std::string_view name(Outcome outcome) { return word(outcome_names, outcome); }
std::string_view name(Tier tier) { return word(tier_names, tier); }
std::string_view name(FailureClass failure) { return word(failure_names, failure); }

FailureClass failure_class_from(std::string_view text) {
  const auto found = std::find(failure_names.begin(), failure_names.end(), text);
  if (found == failure_names.end()) return FailureClass::none;
  return static_cast<FailureClass>(found - failure_names.begin());
}

std::uint64_t Verdict::element_count() const {
  return std::accumulate(elements.begin(), elements.end(), std::uint64_t{0});
}

}  // namespace ulpfuzz
