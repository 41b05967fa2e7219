#include <cstdlib>

#include "target.hpp"

namespace ulpfuzz::fuzz {

const Property& target_property() { return properties::loop_vs_vectorized; }

const generators::Limits& target_limits() {
  static const generators::Limits limits = generators::gradient_limits();
  return limits;
}

__attribute__((noinline)) void end_of_target_loop_vs_vectorized() { std::abort(); }

void end_of_target() {
  end_of_target_loop_vs_vectorized();
  std::abort();
}

}  // namespace ulpfuzz::fuzz
