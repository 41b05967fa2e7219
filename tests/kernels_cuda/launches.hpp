#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "ulpfuzz/kernels/device.hpp"

/// Launches of every kind with their memory, to be run on several devices.
namespace ulpfuzz::kernels::testing_support {

enum class Values : std::uint8_t {
  ordinary,  ///< normal numbers around 1
  special    ///< zeros, subnormal, huge and tiny numbers, infinities and NaN among them
};

/// How far results on two devices may be apart: u (absolute + relative |y|), u = 2^-24. Both 0: not
/// a bit, but NaN is NaN.
struct Claim {
  double absolute = 0, relative = 0;
};

/// A launch whose arrays all lie in one memory, with gaps between them, so that it can be moved to
/// a device as it is and all of it, gaps included, compared afterwards.
struct Problem {
  explicit Problem(std::string of);
  Problem(Problem&&) = default;  // keeps the memory where it is
  Problem& operator=(Problem&&) = default;
  Problem copy() const;

  float* array(const std::vector<float>& values);
  float* array(std::size_t count, std::mt19937& random, Values values);
  /// Of which nothing is read.
  float* output(std::size_t count);

  std::string name;
  std::vector<float> memory;
  Launch launch;
  Claim claim;
};

std::vector<Problem> gemm_problems(Values values);
std::vector<Problem> gemv_problems(Values values);
std::vector<Problem> unit_problems(Values values);
std::vector<Problem> row_problems(Values values);
std::vector<Problem> column_sum_problems(Values values);
std::vector<Problem> map_problems(Values values);
std::vector<Problem> move_problems(Values values);
/// Of sizes 0: nothing is to be done.
std::vector<Problem> empty_problems();

/// A product of random layout, with entries, broadcast operands and a bias or none of these.
Product random_product(Problem& problem, std::size_t m, std::size_t n, std::size_t k,
                       std::mt19937& random, Values values);

/// The memory of a problem after its launch on the device's current stream.
std::vector<float> run(Device& device, const Problem& problem);

/// Empty if the memories agree as claimed, else where they do not.
std::string difference(const Problem& problem, const std::vector<float>& a,
                       const std::vector<float>& b);

}  // namespace ulpfuzz::kernels::testing_support
