#include "network_reader.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "file_error.hpp"

namespace ulpfuzz {
namespace {

const char* const smaller = "files hold smaller cases";

// `what` throws std::invalid_argument where the network refuses.
template <class F>
void accepted(const Complain& complain, std::string_view remedy, F what) {
  try {
    what();
  } catch (const std::invalid_argument& error) {
    complain(error.what(), remedy);
  }
}

}  // namespace

float default_alpha(Op op) {
  switch (op) {
    case Op::leaky_relu:
      return 0.01f;
    case Op::elu:
      return 1.0f;
    case Op::layer_norm:
    case Op::rms_norm:
    case Op::layer_norm_grad:
    case Op::rms_norm_grad:
      return 1e-5f;
    default:
      return 0.0f;
  }
}

bool has_alpha(const Node& node) {
  const Op op = node.op == Op::derivative ? node.of : node.op;
  return default_alpha(op) != 0.0f;
}

void append_checked(Network& network, const Node& node, const Complain& complain) {
  if (node.shape.rows > limits::dimension || node.shape.cols > limits::dimension ||
      node.index > limits::dimension)
    complain(fmt::format("a dimension is above {}", limits::dimension), smaller);
  accepted(complain, "mend the network", [&] { network.append(node); });
  const std::size_t size = network.nodes().back().shape.size();
  if (size > limits::value_size)
    complain(fmt::format("a value of {} elements, above {}", size, limits::value_size), smaller);
}

void output_checked(Network& network, NodeId id, const Complain& complain) {
  accepted(complain, "mend the network", [&] { network.output(id); });
}

void set_repeat_checked(Network& network, std::uint32_t repeat, const Complain& complain) {
  if (repeat > limits::dimension)
    complain(fmt::format("repeat is {}, above {}", repeat, limits::dimension), smaller);
  accepted(complain, "mend the network", [&] { network.set_repeat(repeat); });
}

void check_dimensions(std::uint32_t rows, std::uint32_t cols, const Complain& complain) {
  if (rows > limits::dimension || cols > limits::dimension)
    complain(fmt::format("{} x {} has a dimension above {}", rows, cols, limits::dimension),
             smaller);
  if (cols == 0 && rows > limits::empty_rows)
    complain(fmt::format("{} rows without values, above {}", rows, limits::empty_rows), smaller);
}

void check_parameters(const Network& network, const std::vector<Tensor>& parameters,
                      const Complain& complain) {
  const auto& nodes = network.parameters();
  if (parameters.size() != nodes.size())
    complain(fmt::format("{} tensors for {} parameter nodes", parameters.size(), nodes.size()),
             "give one a node, in order");
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Shape shape = network.node(nodes[i]).shape;
    const Tensor& t = parameters[i];
    if (t.rows != shape.rows || t.cols != shape.cols)
      complain(fmt::format("parameter {} is {} x {}, its node {} x {}", i, t.rows, t.cols,
                           shape.rows, shape.cols),
               "make them agree");
  }
}

void check_case(const Case& c, const Complain& complain) {
  accepted(complain, "mend the case", [&] { validate(c); });
}

}  // namespace ulpfuzz
