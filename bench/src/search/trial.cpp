#include "search/trial.hpp"

#include <algorithm>
#include <chrono>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/search/pool.hpp"

namespace ulpfuzz::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t cases_per_context = 1024;

double since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

generators::Limits limits_of(const Property& property) {
  return property.needs_gradient ? generators::gradient_limits() : generators::Limits{};
}

void note(Found& f, const Verdict& v) {
  ++f.evaluations;
  if (v.outcome == Outcome::pass || v.failed()) f.share = std::max(f.share, v.share);
  if (v.outcome == Outcome::pass && v.worst.tier == Tier::probabilistic)
    f.probabilistic = std::max(f.probabilistic, v.share);
}

}  // namespace

std::string_view name(Way way) {
  switch (way) {
    case Way::random:
      return "random";
    case Way::climb:
      return "climb";
    case Way::coverage:
      return "libFuzzer, coverage alone";
    default:
      return "libFuzzer, shares fed back";
  }
}

Found search_here(Way way, const Search& s) {
  const generators::Limits limits = limits_of(*s.property);
  search::Pool pool;
  std::optional<CheckContext> context;
  Found f;
  const Clock::time_point began = Clock::now();
  for (std::uint64_t i = 0; i < s.evaluations && !(s.until_failure && f.failure); ++i) {
    if (i % cases_per_context == 0) context.emplace();
    generators::SeedSource source(s.seed, i);
    const Case c =
        way == Way::climb ? pool.next(source, limits) : generators::draw_case(source, limits);
    const Verdict v = s.property->check(c, *s.subject, {}, *context);
    note(f, v);
    if (v.failed() && !f.failure) {
      f.failure = f.evaluations;
      f.failure_seconds = since(began);
    }
    if (way == Way::climb) pool.offer(c, v);
  }
  f.seconds = since(began);
  return f;
}

}  // namespace ulpfuzz::bench
