#include "throughput_measure.hpp"

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

generators::Limits limits_for(const Property& property) {
  generators::Limits limits;
  limits.kind = generators::Limits::Kind::plain;
  limits.depth = 4;
  limits.width = 32;
  limits.batch = property.needs_gradient ? 8 : 64;
  if (property.needs_gradient) limits.jacobian = 2'000'000;  // more than any plain case has
  return limits;
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

}  // namespace

Measurement measure(const Property& property, const Subject& subject, std::uint64_t seed,
                    double seconds, std::uint64_t cases) {
  const auto limits = limits_for(property);
  const CheckOptions options;
  CheckContext context;
  Measurement m;
  const double start = now();
  for (double t = start; cases != 0 ? m.cases < cases : t < start + seconds; ++m.cases) {
    const Case c = generators::case_from_seed(seed, m.cases, limits);
    m.generate += now() - t;
    const Verdict verdict = property.check(c, subject, options, context);
    m.failures += verdict.failed();
    m.unjudged += verdict.outcome == Outcome::vacuous || verdict.outcome == Outcome::skip;
    m.share_max = std::max(m.share_max, verdict.share);
    count_sizes(c, m);
    t = now();
    m.seconds = t - start;
  }
  m.evaluate = context.caller.seconds();
  m.bound = context.bound_seconds;
  return m;
}

double peak_memory(const Subject& subject, std::uint64_t seed, std::uint64_t cases) {
  fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) return -1;
  if (child == 0) {
    measure(properties::batched_vs_sliced, subject, seed, 0, cases);
    measure(properties::loop_vs_vectorized, subject, seed, 0, cases / 10);
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child || status != 0) return -1;
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace ulpfuzz::bench
