#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "words.hpp"

namespace ulpfuzz::report {
namespace {

void add(std::string& text, const std::string& part) {
  if (part.empty()) return;
  text += text.empty() ? part : "; " + part;
}

std::string with_number(std::uint64_t n, std::string_view one, std::string_view many) {
  return n == 0 ? std::string{} : fmt::format("{} {}", with_commas(n), n == 1 ? one : many);
}

/// What is red, or that nothing is.
std::string news(const Night& night) {
  std::string text;
  add(text,
      with_number(count(night, BucketState::returned), "failure is back", "failures are back"));
  add(text, with_number(count(night, BucketState::fresh), "new failure", "new failures"));
  add(text, with_number(count(night, BucketState::open), "failure is still open",
                        "failures are still open"));
  return text;
}

std::string quiet(const Night& night) {
  std::string text;
  add(text, with_number(count(night, BucketState::known), "known is quiet", "known are quiet"));
  add(text, with_number(count(night, BucketState::flaky), "flaky finding", "flaky findings"));
  add(text, with_number(count(night, BucketState::fixed), "is fixed", "are fixed"));
  return text;
}

/// Why there is no verdict, or less than one; else empty.
std::string broken(const Night& night) {
  const auto failed = std::find_if(night.phases.begin(), night.phases.end(),
                                   [](const Phase& p) { return p.state == Phase::State::failed; });
  if (failed != night.phases.end() && failed->name == "self-check")
    return fmt::format("no verdict: the self-check failed{}{}", failed->note.empty() ? "" : ": ",
                       one_line(failed->note));
  if (!night.errors.empty())
    return fmt::format(
        "infrastructure failed: {}{}", one_line(night.errors.front()),
        night.errors.size() == 1 ? "" : fmt::format(" (and {} more)", night.errors.size() - 1));
  if (failed != night.phases.end())
    return fmt::format("phase {} failed{}{}", one_line(failed->name),
                       failed->note.empty() ? "" : ": ", one_line(failed->note));
  return night.exit_code == 4 ? "infrastructure failed" : std::string{};
}

}  // namespace

std::string_view name(BucketState state) {
  static constexpr std::array<std::string_view, bucket_states> words{"new",      "open",  "known",
                                                                     "returned", "fixed", "flaky"};
  const auto i = static_cast<std::size_t>(state);
  return i < words.size() ? words[i] : std::string_view{};
}

std::string_view name(Phase::State state) {
  static constexpr std::array<std::string_view, 5> words{"done", "cut", "skipped", "failed",
                                                         "not begun"};
  const auto i = static_cast<std::size_t>(state);
  return i < words.size() ? words[i] : std::string_view{};
}

std::string headline(const Night& night) {
  std::string text;
  if (night.running) text = "not over: running, or killed";
  add(text, broken(night));
  const bool verdict = text.find("no verdict") == text.npos;
  if (verdict) add(text, news(night));
  const bool little = night.exit_code == 5 && !night.running;
  if (little) add(text, one_line(why_too_little(night)));
  if (text.empty()) text = fmt::format("nothing new in {}", counted(night.cases, "case"));
  if (verdict) add(text, quiet(night));
  if (night.interrupted) add(text, "stopped early");
  return text;
}

}  // namespace ulpfuzz::report
