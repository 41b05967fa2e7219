#include "throughput/measure.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void count_sizes(const Case& c, Measurement& m) {
  double multiply_adds = 0;
  for (const Node& node : c.network.nodes())
    if (node.op == Op::linear)
      multiply_adds += static_cast<double>(c.network.node(node.args[1]).shape.size());
  m.rows += static_cast<double>(c.batch());
  m.slices += static_cast<double>(c.split.size());
  m.multiply_adds += static_cast<double>(c.batch()) * multiply_adds;
}

void check_one(const Property& property, const Subject& subject, std::uint64_t seed,
               std::uint64_t index, CheckContext& context, Measurement& m) {
  const double start = now();
  const auto limits = generators::plain_limits(property.needs_gradient);
  const Case c = generators::case_from_seed(seed, index, limits);
  m.generate += now() - start;
  const Verdict verdict = property.check(c, subject, {}, context);
  m.failures += verdict.failed();
  m.unjudged += verdict.outcome == Outcome::vacuous || verdict.outcome == Outcome::skip;
  m.share_max = std::max(m.share_max, verdict.share);
  ++m.cases;
  count_sizes(c, m);
}

void check_all(const Property& property, const Subject& subject, std::uint64_t seed,
               std::uint64_t cases, CheckContext& context) {
  Measurement m;
  for (std::uint64_t i = 0; i < cases; ++i) check_one(property, subject, seed, i, context, m);
}

}  // namespace

Measurement measure(const Property& property, const Subject& subject, std::uint64_t seed,
                    double seconds) {
  CheckContext context;
  Measurement m;
  for (const double start = now(); m.seconds < seconds; m.seconds = now() - start)
    check_one(property, subject, seed, m.cases, context, m);
  m.evaluate = context.caller.seconds();
  m.bound = context.bound_seconds;
  return m;
}

double peak_memory(const Subject& subject, std::uint64_t seed, std::uint64_t cases,
                   unsigned times) {
  fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    CheckContext context;  // one, as a campaign's worker has
    for (unsigned t = 0; t < times; ++t) {
      check_all(properties::batched_vs_sliced, subject, seed, cases, context);
      check_all(properties::loop_vs_vectorized, subject, seed, cases / 10, context);
    }
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0) return -1;
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace ulpfuzz::bench
