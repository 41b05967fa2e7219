#include "topology.hpp"

#include <algorithm>
#include <cmath>

#include "builder.hpp"
#include "sizes.hpp"

namespace ulpfuzz::generators {
namespace {

std::uint64_t per_row(std::uint64_t total, std::uint32_t batch, std::uint64_t least) {
  return std::max(total / std::max<std::uint32_t>(batch, 1), std::min(total, least));
}

// Outputs and elements whose product fits the Jacobian of one batch row.
Budget draw_budget(const Limits& limits, std::uint32_t batch) {
  Budget budget{per_row(limits.work, batch, 512), std::uint64_t{limits.width} * limits.width * 4,
                limits.width};
  if (limits.jacobian > 0) {
    const double root = std::sqrt(static_cast<double>(limits.jacobian));
    budget.width = std::clamp(static_cast<std::uint32_t>(root / 8), 1u, std::max(limits.width, 1u));
    budget.elements = per_row(limits.jacobian / budget.width, batch, 96);
  }
  budget.work = std::max<std::uint64_t>(budget.work, 1);
  budget.width = std::max(budget.width, 1u);
  return budget;
}

NodeId first_value(Source& source, Builder& b) {
  const auto room = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      {b.budget().width, std::max<std::uint64_t>(b.budget().elements / 2, 1), b.budget().work}));
  std::uint32_t cols = std::min(b.width(), room);
  if (source.chance(3)) {
    const NodeId none = b.input({1, 0});
    return b.linear(none, b.width());
  }
  if (cols % 2 == 0 && source.chance(6)) return b.input({2, cols / 2});
  return b.input({1, std::max(cols, 1u)});
}

// The batch that keeps the whole within the limits: what was drawn, or less.
std::uint32_t fit_batch(const Limits& limits, Builder& b, std::uint32_t batch) {
  const Network& net = b.plan().network;
  std::uint64_t elements = 0;
  for (const NodeId id : net.inputs()) elements += net.node(id).shape.size();
  for (const NodeId id : net.parameters()) elements += net.node(id).shape.size();
  const std::uint64_t jacobian = net.node(net.outputs().front()).shape.size() * elements;
  std::uint64_t most = limits.work / std::max<std::uint64_t>(b.work(), 1);
  if (limits.jacobian > 0) {
    most = std::min(most, limits.jacobian / std::max<std::uint64_t>(jacobian, 1));
  }
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(batch, most));
}

}  // namespace

NodeId grow(Source& source, Builder& b, NodeId x) {
  const std::uint64_t kind = source.below(100);
  if (kind < 48) {
    const NodeId y = b.linear(x, b.width());
    return source.chance(85) ? b.activation(y) : y;
  }
  if (kind < 52) return b.kinked(b.linear(x, b.width()));
  if (kind < 57) return b.activation(x);
  if (kind < 64) return b.residual(x);
  if (kind < 69) return b.gate(x);
  if (kind < 74) return b.branches(x);
  if (kind < 81) return b.norm(x);
  if (kind < 85) return b.attention(x);
  if (kind < 90) return b.shared_matmul(x);
  if (kind < 93) return b.tied(x);
  if (kind < 96) return b.feature_rows(x);
  if (kind < 98) return b.second_input(x);
  return b.hollow(x);
}

Plan draw_plan(Source& source, const Limits& limits) {
  const std::uint32_t batch = source.chance(3) ? 0 : draw_size(source, limits.batch);
  Builder b(source, draw_budget(limits, batch));
  NodeId x = first_value(source, b);
  const std::uint64_t reach = source.below(std::uint64_t{limits.depth} + 1);
  const std::uint64_t depth = source.chance(40) ? reach : (reach + 1) / 2;
  for (std::uint64_t i = 0; i < depth; ++i) x = grow(source, b, x);
  if (depth > 0 && source.chance(40)) x = b.linear(x, std::min(b.width(), 10u));
  const Op last = b.plan().network.node(x).op;
  if (last == Op::input || last == Op::reshape) x = b.activation(x);
  b.plan().network.output(x);
  b.plan().batch = fit_batch(limits, b, batch);
  return std::move(b.plan());
}

}  // namespace ulpfuzz::generators
