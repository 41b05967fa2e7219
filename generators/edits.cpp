#include "edits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ulpfuzz::generators {
namespace {

constexpr std::array<std::uint32_t, 21> aligned{3,  4,  5,  7,  8,  9,  15, 16,  17,  24, 31,
                                                32, 33, 47, 48, 63, 64, 65, 127, 128, 129};

}  // namespace

std::string label(const Network& network, NodeId id) {
  return fmt::format("{} {}", name(network.node(id).op), id);
}

std::vector<std::uint32_t> uses(const Network& network) {
  std::vector<std::uint32_t> count(network.nodes().size());
  for (const Node& node : network.nodes()) {
    for (const NodeId arg : node.operands()) ++count[arg];
  }
  return count;
}

bool frees_operand(const Network& network, NodeId id, const std::vector<std::uint32_t>& uses) {
  const auto args = network.node(id).operands();
  return std::ranges::any_of(args, [&](NodeId arg) {
    return uses[arg] == static_cast<std::uint32_t>(std::ranges::count(args, arg)) &&
           arg != network.outputs().front();
  });
}

std::size_t affordable(std::size_t nodes) {
  return std::clamp<std::size_t>(20'000 / std::max<std::size_t>(nodes, 1), 24, 4096);
}

std::vector<std::uint32_t> smaller_sizes(std::uint32_t n) {
  std::vector<std::uint32_t> sizes;
  const auto add = [&](std::uint32_t size) {
    if (size < n && size > 0 && std::ranges::count(sizes, size) == 0) sizes.push_back(size);
  };
  add(1);
  add(2);
  for (std::uint32_t step = n / 2; step > 0; step /= 2) add(n - step);
  std::ranges::for_each(aligned, add);
  return sizes;
}

}  // namespace ulpfuzz::generators
