#include <cstring>

#include "gradient_judge.hpp"

namespace ulpfuzz::properties {

void GradientJudge::screen() {
  flags_.assign(c_.batch() * outputs_, 0);
  screen_reverse();
  if (paths_.forward) screen_forward();
  flags_[fingerprint(c_) % flags_.size()] |= probe;
}

void GradientJudge::screen_reverse() {
  std::uint64_t equal = 0;
  for (std::size_t w = 0; w < paths_.loop.blocks.size(); ++w) {
    const std::size_t size = paths_.loop.elements[w];
    const float* a = paths_.loop.blocks[w].data();
    const float* b = paths_.reverse.blocks[w].data();
    for (std::uint8_t& flag : flags_) {
      if (size != 0 && std::memcmp(a, b, size * sizeof(float)) != 0) flag |= reverse_differs;
      a += size;
      b += size;
    }
  }
  for (const std::uint8_t flag : flags_) equal += (flag & reverse_differs) == 0 ? 1u : 0u;
  for (const std::size_t size : paths_.loop.elements) account_.count(Tier::bit_equal, equal * size);
}

void GradientJudge::screen_forward() {
  for (std::size_t w = 0; w < paths_.loop.blocks.size(); ++w) {
    const std::size_t size = paths_.loop.elements[w];
    const float* loop = paths_.loop.blocks[w].data();
    const float* forward = paths_.forward->blocks[w].data();
    for (std::size_t row = 0; row < c_.batch(); ++row, forward += size * outputs_) {
      for (std::size_t column = 0; column < outputs_; ++column, loop += size) {
        std::uint32_t differs = 0;
        for (std::size_t t = 0; t < size; ++t) {
          std::uint32_t a, b;
          std::memcpy(&a, loop + t, sizeof a);
          std::memcpy(&b, forward + t * outputs_ + column, sizeof b);
          differs |= a ^ b;
        }
        if (differs != 0) flag(row, column) |= forward_differs;
      }
    }
  }
  std::uint64_t equal = 0;
  for (const std::uint8_t flag : flags_) equal += (flag & forward_differs) == 0 ? 1u : 0u;
  for (const std::size_t size : paths_.loop.elements) account_.count(Tier::bit_equal, equal * size);
}

}  // namespace ulpfuzz::properties
