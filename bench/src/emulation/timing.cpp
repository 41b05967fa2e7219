#include <time.h>

#include <algorithm>
#include <map>

#include "emulation/jobs.hpp"

namespace ulpfuzz::bench {
namespace {

/// This thread's time, so that others on the machine do not count.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double nanoseconds_of(const Job& job, double seconds) {
  job.call();
  std::size_t calls = 0;
  const double start = now();
  double end = start;
  for (; end - start < seconds; end = now(), ++calls) job.call();
  return (end - start) * 1e9 / (static_cast<double>(calls) * job.work);
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.size() % 2 == 1 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

}  // namespace

std::vector<Timing> time_jobs(const std::vector<Job>& jobs, std::size_t rounds, double seconds) {
  std::vector<std::vector<double>> times(jobs.size()), ratios(jobs.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    std::map<std::string, double> of;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const double t = nanoseconds_of(jobs[i], seconds);
      of[jobs[i].name] = t;
      times[i].push_back(t);
    }
    for (std::size_t i = 0; i < jobs.size(); ++i)
      ratios[i].push_back(of[jobs[i].name] / of.at(jobs[i].baseline));
  }
  std::vector<Timing> result;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    result.push_back({median(times[i]), median(ratios[i])});
  return result;
}

}  // namespace ulpfuzz::bench
