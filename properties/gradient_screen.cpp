#include <algorithm>
#include <cstring>

#include "gradient_judge.hpp"

namespace ulpfuzz::properties {

void GradientJudge::screen() {
  flags_.assign(c_.batch() * outputs_, 0);
  screen(paths_.reverse, reverse_differs);
  if (paths_.forward) {
    transpose_forward();
    screen(forward_, forward_differs);
  }
  flags_[fingerprint(c_) % flags_.size()] |= probe;
}

/// Flags the entries in which some block's bits differ from the loop's; counts the others.
void GradientJudge::screen(const Jacobian& other, std::uint8_t differs) {
  for (std::size_t w = 0; w < paths_.loop.blocks.size(); ++w) {
    const std::size_t size = paths_.loop.elements[w];
    const float* a = paths_.loop.blocks[w].data();
    const float* b = other.blocks[w].data();
    for (std::uint8_t& flag : flags_) {
      if (size != 0 && std::memcmp(a, b, size * sizeof(float)) != 0) flag |= differs;
      a += size;
      b += size;
    }
  }
  std::uint64_t equal = 0;
  for (const std::uint8_t flag : flags_) equal += (flag & differs) == 0 ? 1u : 0u;
  for (const std::size_t size : paths_.loop.elements) account_.count(Tier::bit_equal, equal * size);
}

/// In tiles that stay in the first-level cache.
void GradientJudge::transpose_forward() {
  constexpr std::size_t tile = 16;
  forward_ = {paths_.loop.batch, outputs_, paths_.loop.elements, {}};
  for (std::size_t w = 0; w < paths_.loop.blocks.size(); ++w) {
    const std::size_t size = forward_.elements[w];
    std::vector<float>& to = forward_.blocks.emplace_back(paths_.forward->blocks[w].size());
    for (std::size_t row = 0; row < c_.batch(); ++row) {
      const float* in = paths_.forward->blocks[w].data() + row * size * outputs_;
      float* out = to.data() + row * size * outputs_;
      for (std::size_t t0 = 0; t0 < size; t0 += tile) {
        const std::size_t t1 = std::min(t0 + tile, size);
        for (std::size_t o = 0; o < outputs_; ++o) {
          for (std::size_t t = t0; t < t1; ++t) out[o * size + t] = in[t * outputs_ + o];
        }
      }
    }
  }
}

}  // namespace ulpfuzz::properties
