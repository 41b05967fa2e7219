#include "path_difference.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/subjects/schedules.hpp"

namespace ulpfuzz {
namespace {

class Comparison {
 public:
  void add(float a, float b) {
    ++d_.elements;
    mix(std::bit_cast<std::uint32_t>(a));
    mix(std::bit_cast<std::uint32_t>(b));
    if (same_bits(a, b)) {
      ++d_.bit_equal;
      return;
    }
    const double difference = std::abs(double{a} - double{b});
    if (std::isfinite(difference)) {
      d_.largest = std::max(d_.largest, difference);
      d_.sum += difference;
    }
    if (const auto ulps = ulp_distance(a, b)) d_.ulps = std::max(d_.ulps, *ulps);
  }
  PathDifference result() const { return d_; }

 private:
  // FNV-1a over words: tells runs apart, no more.
  void mix(std::uint32_t word) { d_.bits = (d_.bits ^ word) * 0x100000001b3u; }

  PathDifference d_{.bits = 0xcbf29ce484222325u};
};

void compare_forward(Comparison& comparison, const Case& c, const Subject& subject,
                     Caller& caller) {
  const std::vector<float> whole = forward_batched(caller, subject, c);
  const std::vector<std::vector<float>> parts = forward_slices(caller, subject, c);
  const std::size_t width = c.output_width();
  for (std::size_t s = 0; s < parts.size(); ++s) {
    const std::vector<std::uint32_t>& rows = c.split[s].rows;
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t o = 0; o < width; ++o)
        comparison.add(whole[rows[r] * width + o], parts[s][r * width + o]);
  }
}

void compare_gradients(Comparison& comparison, const Case& c, const Subject& subject,
                       Caller& caller) {
  const DerivedNetworks derived = derive(c.network);
  const Jacobian loop = jacobian_loop(caller, subject, c, derived);
  const Jacobian reverse = jacobian_reverse(caller, subject, c, derived);
  const Jacobian forward = jacobian_forward(caller, subject, c, derived);
  for (std::size_t w = 0; w < loop.blocks.size(); ++w) {
    const std::size_t elements = loop.elements[w];
    for (std::size_t b = 0; b < loop.batch; ++b)
      for (std::size_t o = 0; o < loop.outputs; ++o)
        for (std::size_t t = 0; t < elements; ++t) {
          const std::size_t at = (b * loop.outputs + o) * elements + t;
          comparison.add(loop.blocks[w][at], reverse.blocks[w][at]);
          comparison.add(loop.blocks[w][at],
                         forward.blocks[w][(b * elements + t) * loop.outputs + o]);
        }
  }
}

}  // namespace

std::optional<PathDifference> path_difference(const Property& property, const Case& c,
                                              const Subject& subject, Caller& caller) {
  try {
    Comparison comparison;
    if (property.needs_gradient)
      compare_gradients(comparison, c, subject, caller);
    else
      compare_forward(comparison, c, subject, caller);
    return comparison.result();
  } catch (const std::exception&) {
    return std::nullopt;  // the verdict tells what happened
  }
}

}  // namespace ulpfuzz
