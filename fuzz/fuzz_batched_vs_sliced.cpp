#include <cstdlib>

#include "target.hpp"

namespace ulpfuzz::fuzz {

const Property& target_property() { return properties::batched_vs_sliced; }

const generators::Limits& target_limits() {
  static const generators::Limits limits;
  return limits;
}

__attribute__((noinline)) void end_of_target_batched_vs_sliced() { std::abort(); }

void end_of_target() {
  end_of_target_batched_vs_sliced();
  std::abort();
}

}  // namespace ulpfuzz::fuzz
