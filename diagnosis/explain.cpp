#include <fmt/format.h>

#include <stdexcept>

#include "engine.hpp"
#include "ulpfuzz/diagnosis/explanation.hpp"

namespace ulpfuzz::diagnosis {
namespace {

void require_size(const char* what, std::size_t found, std::size_t expected) {
  if (found != expected)
    throw std::invalid_argument(fmt::format("{} has {} elements, not {}", what, found, expected));
}

std::size_t elements_of(const Network& network, const std::vector<NodeId>& ids) {
  std::size_t n = 0;
  for (const NodeId id : ids) n += network.node(id).shape.size();
  return n;
}

}  // namespace

std::size_t element_count(const Evidence& evidence) {
  const Network& network = evidence.network;
  const std::size_t outputs = evidence.rows * network.node(network.outputs().front()).shape.size();
  switch (evidence.quantity) {
    case Quantity::parameter_jacobian:
      return outputs * elements_of(network, network.parameters());
    case Quantity::input_jacobian:
      return outputs * elements_of(network, network.inputs());
    default:
      return outputs;
  }
}

void check(const Evidence& evidence) {
  const Network& network = evidence.network;
  if (network.outputs().size() != 1)
    throw std::invalid_argument(
        fmt::format("the network has {} outputs, not 1", network.outputs().size()));
  if (evidence.rows == 0) throw std::invalid_argument("the evidence has no rows");
  if (evidence.inputs.size() != network.inputs().size())
    throw std::invalid_argument(fmt::format("{} inputs are given, the network reads {}",
                                            evidence.inputs.size(), network.inputs().size()));
  if (evidence.parameters.size() != network.parameters().size())
    throw std::invalid_argument(fmt::format("{} parameters are given, the network reads {}",
                                            evidence.parameters.size(),
                                            network.parameters().size()));
  for (std::size_t i = 0; i < evidence.parameters.size(); ++i)
    require_size("a parameter", evidence.parameters[i].data.size(),
                 network.node(network.parameters()[i]).shape.size());
  const int given = int{!evidence.a.empty() || !evidence.b.empty()} +
                    int{!evidence.difference.empty()} + int{evidence.absolute_sum.has_value()};
  if (given != 1)
    throw std::invalid_argument(
        "evidence is two results, or their difference, or the sum of absolute differences: one of "
        "these");
  if (evidence.absolute_sum) return;
  const std::size_t n = element_count(evidence);
  if (!evidence.difference.empty())
    return require_size("the difference", evidence.difference.size(), n);
  require_size("result a", evidence.a.size(), n);
  require_size("result b", evidence.b.size(), n);
}

Explanation explain(const Evidence& evidence) {
  check(evidence);
  return evidence.quantity == Quantity::outputs ? explain_outputs(evidence)
                                                : explain_jacobian(evidence);
}

}  // namespace ulpfuzz::diagnosis
