#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ulpfuzz::bench {

/// Something to be timed, and what it is compared with.
struct Job {
  std::string name;
  std::string baseline;  ///< name of another job of the list
  double work = 1;       ///< multiply-adds or elements of a call
  std::function<void()> call;
};

struct Shape {
  std::size_t m = 64, n = 64, k = 256;
};

/// Products [m, k] x [k, n] of normal numbers, right operand stored by columns, as weights are:
/// "panel ..." by the emulated subject, "kernel ..." by block programs on the host.
std::vector<Job> product_jobs(const Shape& shape);

/// Conversions of arrays, and functions against those of the library.
std::vector<Job> conversion_jobs(std::size_t elements);
std::vector<Job> function_jobs(std::size_t elements);

struct Timing {
  double nanoseconds = 0;  ///< of one multiply-add or element: the median of all rounds
  double ratio = 1;        ///< to the baseline in the same round: the median
};

/// `rounds` times, all jobs one after the other for `seconds` each.
std::vector<Timing> time_jobs(const std::vector<Job>& jobs, std::size_t rounds, double seconds);

}  // namespace ulpfuzz::bench
