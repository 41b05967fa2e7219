#include "simplest/small_cases.hpp"

#include <exception>
#include <numeric>
#include <set>

#include "shrink/planted.hpp"

namespace ulpfuzz::simplest {
namespace {

using Networks = std::vector<Network>;

constexpr std::uint64_t nodes = 0, features = 1, rows = 2, offsets = 8;  // of complexity()
constexpr std::uint64_t widest = 4;

/// As far as shapes allow.
void keep(Networks& list, const std::function<void(Network&)>& build) {
  Network network;
  try {
    build(network);
  } catch (const std::exception&) {
    return;
  }
  list.push_back(std::move(network));
}

NodeId apply(Network& n, Op op, NodeId a, NodeId b) {
  if (is_activation(op)) return n.activation(op, a);
  switch (op) {
    case Op::softmax:
      return n.softmax(a);
    case Op::layer_norm:
      return n.layer_norm(a);
    case Op::rms_norm:
      return n.rms_norm(a);
    case Op::add:
      return n.add(a, b);
    case Op::mul:
      return n.mul(a, b);
    case Op::concat:
      return n.concat(a, b);
    case Op::linear:
      return n.linear(a, b);
    default:
      return n.matmul(a, b, false, true);
  }
}

const std::vector<Op> ops{Op::relu, Op::leaky_relu, Op::tanh,       Op::sigmoid,
                          Op::silu, Op::gelu_erf,   Op::gelu_tanh,  Op::softplus,
                          Op::elu,  Op::softmax,    Op::layer_norm, Op::rms_norm,
                          Op::add,  Op::mul,        Op::concat,     Op::matmul};

/// Of an input of this shape: itself, one op, two ops.
void of_input(Networks& list, Shape shape) {
  keep(list, [&](Network& n) { n.output(n.input(shape)); });
  for (const Op first : ops) {
    keep(list, [&](Network& n) {
      const NodeId x = n.input(shape);
      n.output(apply(n, first, x, x));
    });
    for (const Op second : {Op::relu, Op::softmax, Op::add, Op::mul, Op::concat, Op::matmul}) {
      keep(list, [&](Network& n) {
        const NodeId x = n.input(shape);
        const NodeId y = apply(n, first, x, x);
        n.output(apply(n, second, y, x));
      });
    }
  }
}

void of_input_and_parameter(Networks& list, Shape shape, Shape weight) {
  for (const Op op : {Op::add, Op::mul, Op::matmul, Op::linear}) {
    keep(list, [&](Network& n) {
      const NodeId x = n.input(shape);
      n.output(apply(n, op, x, n.parameter(weight.rows, weight.cols)));
    });
  }
  keep(list, [&](Network& n) {
    const NodeId x = n.input(shape);
    const NodeId p = n.parameter(weight.rows, weight.cols);
    n.output(n.linear(x, p, p));
  });
}

std::vector<Shape> shapes(std::uint64_t most) {
  std::vector<Shape> list;
  for (std::uint32_t r = 1; r <= std::max<std::uint64_t>(1, most); ++r)
    for (std::uint32_t c = 0; r * c <= most; ++c) list.push_back({r, c});
  return list;
}

Networks networks(std::uint64_t most_features) {
  Networks list;
  for (const Shape x : shapes(most_features)) {
    if (x.size() <= widest) of_input(list, x);
    for (const Shape p : shapes(most_features))
      if (x.size() + p.size() + p.rows + p.cols <= most_features)
        of_input_and_parameter(list, x, p);
  }
  return list;
}

Case with(const Network& network, std::uint32_t batch, std::uint8_t offset, bool cotangents) {
  Case c;
  c.network = network;
  for (const NodeId p : network.parameters())
    c.parameters.emplace_back(network.node(p).shape.rows, network.node(p).shape.cols);
  for (const NodeId i : network.inputs())
    c.inputs.emplace_back(batch, static_cast<std::uint32_t>(network.node(i).shape.size()));
  if (cotangents) c.cotangents = Tensor(batch, static_cast<std::uint32_t>(c.output_width()));
  c.layout.slice_offset = offset;
  return c;
}

std::vector<std::uint32_t> index_range(std::uint32_t n) {
  std::vector<std::uint32_t> range(n);
  std::iota(range.begin(), range.end(), 0u);
  return range;
}

std::set<std::uint32_t> batches(std::uint64_t most) {
  std::set<std::uint32_t> list;
  for (const std::uint64_t n : {1ul, 2ul, 3ul, 4ul, most / 2, most - 1, most})
    if (n >= 1 && n <= most) list.insert(static_cast<std::uint32_t>(n));
  return list;
}

}  // namespace

void each_below(const std::vector<std::uint64_t>& limit, bool gradient,
                const std::function<void(Case)>& visit) {
  const auto offer = [&](Case c, std::vector<std::uint32_t> slice) {
    c.split = {{std::move(slice), 0}};
    if (bench::structure(c) < limit) visit(std::move(c));
  };
  for (const Network& network : networks(limit[features] + 1)) {
    if (network.nodes().size() > limit[nodes]) continue;
    for (const std::uint32_t batch : batches(limit[rows])) {
      for (std::uint8_t offset = 0; offset <= limit[offsets]; ++offset) {
        for (int cotangents = 0; cotangents <= (gradient ? 1 : 0); ++cotangents) {
          const Case c = with(network, batch, offset, cotangents != 0);
          offer(c, {0});
          if (batch == 1) continue;
          offer(c, {batch - 1});
          offer(c, index_range(batch));
        }
      }
    }
  }
}

}  // namespace ulpfuzz::simplest
