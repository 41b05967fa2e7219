#include <bit>
#include <cmath>

#include "ulpfuzz/generators/generate.hpp"
#include "words.hpp"

namespace ulpfuzz::generators {
namespace {

// 13 of the 23 stored bits: a relative change below 2^-10. Subnormals stay: their low bits are all
// they have.
constexpr std::uint32_t low = (std::uint32_t{1} << 13) - 1;

void redraw(Tensor& tensor, Words& words) {
  for (float& x : tensor.data) {
    const std::uint32_t word = words.next();
    if (!std::isnormal(x)) continue;
    const auto bits = std::bit_cast<std::uint32_t>(x);
    x = std::bit_cast<float>((bits & ~low) | (word & low));
  }
}

}  // namespace

Case with_random_low_bits(const Case& c, std::uint64_t seed) {
  Case result = c;
  Words words(seed);
  for (Tensor& t : result.inputs) redraw(t, words);
  for (Tensor& t : result.parameters) redraw(t, words);
  return result;
}

}  // namespace ulpfuzz::generators
