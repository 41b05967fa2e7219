#include "soundness/judge.hpp"
#include "soundness/machine.hpp"
#include "ulpfuzz/core/fp_environment.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz::bench {
namespace {

template <class N>
Evaluated evaluate_in(const Trial& t, const LayeredArithmetic& arithmetic, const Style& style,
                      const std::vector<Part>& parts) {
  Machine<N> machine(arithmetic, style);
  std::vector<const float*> inputs;
  for (const auto& x : t.model.inputs) inputs.push_back(x.data());
  const Network& n = t.model.network;
  const FpEnvironment before = FpEnvironment::current();
  FpEnvironment flushing = before;
  flushing.ftz = arithmetic.everywhere.flushes_subnormals && style.ftz;
  flushing.daz = arithmetic.everywhere.flushes_subnormals && style.daz;
  flushing.apply();
  machine.run(n, t.model.parameters, t.model.batch, inputs);
  before.apply();
  Evaluated result{style, machine.depth(), {}, {}};
  for (std::size_t o = 0; o < n.outputs().size(); ++o) {
    auto& to = result.outputs.emplace_back(parts[o].size);
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = machine.stored(n.outputs()[o], parts[o].from + i);
  }
  for (const NodeId id : kink_operands(n)) {
    auto& to = result.kinks.emplace_back();
    for (const N& z : machine.values(id)) to.push_back(static_cast<float>(wide(z)));
  }
  return result;
}

}  // namespace

Evaluated evaluate(const Trial& t, const Style& style, const std::vector<Part>& parts) {
  const Format sums = t.arithmetic.everywhere.accumulate;
  if (sums == Format::fp64) return evaluate_in<double>(t, t.arithmetic, style, parts);
  if (sums == Format::fp32) return evaluate_in<float>(t, t.arithmetic, style, parts);
  return evaluate_in<Narrow>(t, t.arithmetic, style, parts);
}

Evaluated evaluate_exactly(const Trial& t, const std::vector<Part>& parts) {
  return evaluate_in<long double>(t, LayeredArithmetic{}, Style{}, parts);
}

}  // namespace ulpfuzz::bench
