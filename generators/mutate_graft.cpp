#include "mutate_graft.hpp"

#include <algorithm>

#include "data.hpp"
#include "mutate_families.hpp"

namespace ulpfuzz::generators {
namespace {

std::uint64_t less(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

Budget left_of(const Limits& limits, const Case& a) {
  const std::uint64_t batch = std::max<std::size_t>(a.batch(), 1);
  std::uint64_t most = std::uint64_t{limits.width} * limits.width * 4;
  if (limits.jacobian > 0)
    most = less(limits.jacobian / batch / std::max<std::size_t>(a.output_width(), 1),
                elements(a.network));
  return {less(limits.work / batch, products(a.network)), most, std::max(limits.width, 1u)};
}

// As many rows as the case has, those of another one after the other.
Tensor with_rows(const Tensor& from, std::uint32_t rows) {
  if (from.rows == rows) return from;
  Tensor to(rows, from.cols);
  for (std::uint32_t r = 0; r < rows && from.rows > 0; ++r)
    std::ranges::copy(from.row(r % from.rows), to.row(r).begin());
  return to;
}

}  // namespace

Regrown::Regrown(const Case& a, Source& source, const Limits& limits)
    : a_(a), source_(source), limits_(limits), builder_(source, left_of(limits, a)) {}

void Regrown::remember(std::vector<const Tensor*>& list, std::size_t count, const Tensor* numbers) {
  list.resize(count, nullptr);
  list.back() = numbers;
}

NodeId Regrown::append(Node node, const Tensor* numbers) {
  Plan& plan = builder_.plan();
  const NodeId id = plan.network.append(node);
  if (node.op == Op::parameter) {
    plan.purposes.push_back({Role::weight, node.shape.cols, node.shape.rows});
    remember(parameters_, plan.network.parameters().size(), numbers);
  }
  if (node.op == Op::input) remember(inputs_, plan.network.inputs().size(), numbers);
  return id;
}

NodeId Regrown::with_shape(NodeId x, Shape shape) {
  Network& net = builder_.plan().network;
  const Shape from = net.node(x).shape;
  if (from == shape) return x;
  if (from.size() == shape.size()) return net.reshape(x, shape);
  if (from.rows == shape.rows) return builder_.linear(x, shape.cols);
  if (from.rows > 1) x = net.reshape(x, {1, static_cast<std::uint32_t>(from.size())});
  x = builder_.linear(x, static_cast<std::uint32_t>(shape.size()));
  return net.node(x).shape.size() == shape.size() ? net.reshape(x, shape) : x;
}

Case Regrown::after(NodeId at, const std::function<NodeId(NodeId)>& insert) {
  const Network& old = a_.network;
  const NodeId output = old.outputs().front();
  now_.assign(old.nodes().size(), 0);
  for (NodeId id = 0; id < old.nodes().size(); ++id) {
    Node node = old.node(id);
    for (std::size_t i = 0; i < node.arity; ++i) node.args[i] = now_[node.args[i]];
    const Tensor* numbers = node.op == Op::parameter ? &a_.parameters[node.index]
                            : node.op == Op::input   ? &a_.inputs[node.index]
                                                     : nullptr;
    const NodeId x = now_[id] = append(node, numbers);
    if (id != at) continue;
    NodeId y = insert(x);
    if (id != output) y = with_shape(y, node.shape);
    if (y == x || (id != output && network().node(y).shape != node.shape)) return a_;
    now_[id] = y;
  }
  builder_.plan().network.output(now_[output]);
  return finished();
}

Case Regrown::finished() {
  Plan& plan = builder_.plan();
  const DataPlan data = limits_.kind == Limits::Kind::plain ? DataPlan{} : draw_data_plan(source_);
  Words words(source_.next());
  Case result;
  result.split = a_.split;
  result.layout = a_.layout;
  const auto batch = static_cast<std::uint32_t>(a_.batch());
  parameters_.resize(plan.network.parameters().size(), nullptr);
  inputs_.resize(plan.network.inputs().size(), nullptr);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Shape shape = plan.network.node(plan.network.parameters()[i]).shape;
    Tensor& t = result.parameters.emplace_back();
    if (parameters_[i] != nullptr) {
      t = *parameters_[i];
    } else {
      t = Tensor(shape.rows, shape.cols);
      fill_parameter(t, plan.purposes[i], data, words);
    }
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Shape shape = plan.network.node(plan.network.inputs()[i]).shape;
    Tensor& t = result.inputs.emplace_back(batch, static_cast<std::uint32_t>(shape.size()));
    if (inputs_[i] != nullptr && (inputs_[i]->rows > 0 || batch == 0)) {
      t = with_rows(*inputs_[i], batch);
    } else {
      fill_input(t, data, words);
    }
  }
  result.network = std::move(plan.network);
  result.cotangents = a_.cotangents;
  complete(result, limits_, source_);
  return result;
}

}  // namespace ulpfuzz::generators
