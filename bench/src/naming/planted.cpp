#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "naming/draw.hpp"
#include "naming/plant.hpp"
#include "naming/trial.hpp"
#include "ulpfuzz/diagnosis/explanation.hpp"

namespace ulpfuzz::bench {
namespace {

constexpr int most_tries = 1000;  // until a network is drawn in which the fault can be

constexpr std::uint32_t widest_jacobian = 8;

using diagnosis::Quantity;

struct Planted {
  Scenery scenery;
  Quantity quantity = Quantity::outputs;
  std::vector<float> honest, wrong;
};

/// A mask that only takes gradients away cannot be told from a gradient that is not there.
bool is_zero_where_wrong(const Planted& p) {
  for (std::size_t i = 0; i < p.wrong.size(); ++i)
    if (p.wrong[i] != p.honest[i] && p.wrong[i] != 0) return false;
  return true;
}

Planted draw_planted(std::uint64_t seed, std::string_view name) {
  Draw draw(seed);
  Planted p;
  for (int i = 0; i < most_tries && p.wrong.empty(); ++i) {
    p.quantity = draw.chance(0.5) ? Quantity::outputs : Quantity::parameter_jacobian;
    const bool outputs = p.quantity == Quantity::outputs;
    p.scenery = draw_scenery(draw, diagnosis::hypotheses().front(), outputs ? 32 : widest_jacobian);
    const Scenery& s = p.scenery;
    const float* const input = s.input.data();
    p.honest = evaluate_plainly(s.network, s.parameters, {&input, 1}, s.rows, p.quantity);
    p.wrong = plant(name, s.network, s.parameters, {&input, 1}, s.rows, p.quantity, p.honest,
                    draw.bits());
    if (name == "wrong mask" && is_zero_where_wrong(p)) p.wrong.clear();
  }
  return p;
}

}  // namespace

Outcome planted_trial(std::uint64_t seed, std::string_view name) {
  const Planted p = draw_planted(seed, name);
  const float* const input = p.scenery.input.data();
  const bool wrong_is_a = seed % 2 == 0;
  const diagnosis::Evidence evidence{.network = p.scenery.network,
                                     .parameters = p.scenery.parameters,
                                     .rows = p.scenery.rows,
                                     .inputs = {&input, 1},
                                     .quantity = p.quantity,
                                     .a = wrong_is_a ? p.wrong : p.honest,
                                     .b = wrong_is_a ? p.honest : p.wrong,
                                     .difference = {},
                                     .absolute_sum = {}};
  Outcome o;
  const auto start = std::chrono::steady_clock::now();
  const diagnosis::Explanation e = diagnosis::explain(evidence);
  o.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  o.named = e.matches.size();
  if (!e.matches.empty()) o.first = e.matches.front().hypothesis;
  o.right = o.strict = std::any_of(e.matches.begin(), e.matches.end(),
                                   [&](const auto& m) { return m.hypothesis == name; });
  if (!o.right)
    o.fault = fmt::format("seed {} {} x {}, {}: first {}", seed, describe(p.scenery.network),
                          p.scenery.rows, p.quantity == Quantity::outputs ? "outputs" : "Jacobian",
                          o.first);
  return o;
}

}  // namespace ulpfuzz::bench
