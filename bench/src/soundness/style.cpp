#include "soundness/style.hpp"

#include <fmt/format.h>

namespace ulpfuzz::bench {

Style draw_style(Random& random) {
  Style s;
  s.order = static_cast<Order>(pick(random, order_names.size()));
  s.fused = pick(random, 3) == 0;
  s.bias = pick(random, 2) == 0 ? Bias::first : Bias::last;
  s.formula = static_cast<int>(pick(random, 8));
  s.elementary = static_cast<Elementary>(pick(random, 4));
  const std::size_t flush = pick(random, 3);
  s.ftz = flush != 1;
  s.daz = flush != 2;
  s.unnormalised = pick(random, 2) == 0;
  s.at_kink = static_cast<double>(pick(random, 3)) / 2;
  s.seed = random();
  return s;
}

std::string describe(const Style& s) {
  constexpr std::array<const char*, 4> functions{"nearest", "up", "down", "random"};
  return fmt::format("{}{}, bias {}, formula {}, functions {}, ftz {}, daz {}{}",
                     order_names[static_cast<std::size_t>(s.order)], s.fused ? " by fma" : "",
                     s.bias == Bias::first ? "first" : "last", s.formula,
                     functions[static_cast<std::size_t>(s.elementary)], s.ftz, s.daz,
                     s.rounds_inside ? ", rounding inside functions" : "");
}

}  // namespace ulpfuzz::bench
