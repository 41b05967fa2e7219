#include "gpu_plan.hpp"

#include <algorithm>

namespace ulpfuzz::gpu {

void GpuPlan::lay_out(const Evaluation& evaluation, Regions& regions, const GpuPlan* before) {
  evaluation_ = &evaluation;
  network_ = &evaluation.network;
  const auto count = static_cast<NodeId>(network_->nodes().size());
  place_.assign(count, {});
  value_.assign(count, nullptr);
  parameter_.resize(network_->parameters().size());
  shares_ = before != nullptr && same_parameters(*before);
  fuse();
  place_outputs(regions.out);
  for (NodeId id = 0; id < count; ++id) {
    const Node& n = node(id);
    Place& place = place_[id];
    if (given(n)) {
      place_given(id, regions.in, before);
    } else if (place.where == Where::nowhere && !aliases(n) && place.epilogue == none) {
      place.where = Where::work;
      place.offset = regions.work.place(elements(n), {Owner::Kind::value, id, network_});
    }
  }
}

void GpuPlan::place_given(NodeId id, Region& in, const GpuPlan* before) {
  const Node& n = node(id);
  Place& place = place_[id];
  place.where = Where::in;
  if (n.op == Op::input) {
    place.offset = in.place(elements(n), {Owner::Kind::input, n.index, network_});
    return;
  }
  place.offset = shares_ ? before->parameter_[n.index]
                         : in.place(elements(n), {Owner::Kind::parameter, n.index, network_});
  parameter_[n.index] = place.offset;
}

bool GpuPlan::same_parameters(const GpuPlan& other) const {
  const auto ours = evaluation_->parameters;
  const auto theirs = other.evaluation_->parameters;
  return ours.data() == theirs.data() && ours.size() == theirs.size() && network_ == other.network_;
}

// Products that nothing but an activation reads.
void GpuPlan::fuse() {
  const auto& nodes = network_->nodes();
  readers_.assign(nodes.size(), 0);
  for (const Node& n : nodes)
    for (const NodeId operand : n.operands()) ++readers_[operand];
  for (const NodeId id : network_->outputs()) ++readers_[id];
  for (NodeId id = 0; id < nodes.size(); ++id) {
    if (!is_activation(nodes[id].op)) continue;
    const NodeId product = nodes[id].args[0];
    const Op op = nodes[product].op;
    if ((op != Op::linear && op != Op::matmul) || readers_[product] != 1) continue;
    place_[product].epilogue = id;
    place_[id].fused = true;
  }
}

// A value that is an output is made where it is downloaded from; inputs and parameters are copied
// there.
void GpuPlan::place_outputs(Region& out) {
  output_.clear();
  for (const NodeId output : network_->outputs()) {
    NodeId id = output;
    while (aliases(node(id))) id = node(id).args[0];
    Place& place = place_[id];
    const Owner owner{Owner::Kind::value, id, network_};
    if (given(node(id))) {
      output_.push_back(out.place(elements(node(output)), owner));
      continue;
    }
    if (place.where == Where::nowhere) place.offset = out.place(elements(node(output)), owner);
    place.where = Where::out;
    output_.push_back(place.offset);
  }
}

void GpuPlan::gather(float* in) const {
  for (NodeId id = 0; id < place_.size(); ++id) {
    const Node& n = node(id);
    if (!given(n) || (shares_ && n.op == Op::parameter)) continue;
    const float* from = n.op == Op::input ? evaluation_->inputs[n.index]
                                          : evaluation_->parameters[n.index].data.data();
    std::copy_n(from, elements(n), in + place_[id].offset);
  }
}

void GpuPlan::settle(const Bases& bases, Work& work) {
  work_ = &work;
  out_ = bases.out;
  float* const base[] = {nullptr, bases.in, bases.out, bases.work};
  for (NodeId id = 0; id < place_.size(); ++id) {
    const Place& place = place_[id];
    if (aliases(node(id)))
      value_[id] = value_[node(id).args[0]];
    else if (place.where != Where::nowhere)
      value_[id] = base[static_cast<int>(place.where)] + place.offset;
    if (place.fused) value_[node(id).args[0]] = value_[id];
  }
}

void GpuPlan::copy_outputs() const {
  const auto& outputs = network_->outputs();
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const float* from = value_[outputs[o]];
    float* to = out_ + output_[o];
    if (from == to) continue;
    const std::size_t count = elements(node(outputs[o]));
    work_->at(*network_, outputs[o]);
    work_->launch(kernels::Move{.x = from,
                                .x_columns = count,
                                .width = count,
                                .entries = 1,
                                .rows = 1,
                                .columns = count,
                                .y = to});
  }
}

void GpuPlan::write_outputs(const float* out) const {
  const auto& outputs = network_->outputs();
  for (std::size_t o = 0; o < outputs.size(); ++o)
    std::copy_n(out + output_[o], elements(node(outputs[o])), evaluation_->outputs[o]);
}

std::size_t GpuPlan::entries(Axis axis) const {
  if (axis == Axis::shared) return 1;
  return axis == Axis::batch ? batch() : batch() * repeat();
}

View<float> GpuPlan::view(NodeId operand, Axis axis) const {
  const Node& n = node(operand);
  if (n.axis == Axis::shared) return {value_[operand], 0, 1};
  const bool repeats = n.axis == Axis::batch && axis == Axis::repeated;
  return {value_[operand], n.shape.size(), repeats ? std::max<std::size_t>(1, repeat()) : 1};
}

const float* GpuPlan::dense(NodeId operand, Axis axis, Shape shape, int) const {
  const Node& n = node(operand);
  const View<float> from = view(operand, axis);
  if ((n.axis == axis || (from.stride != 0 && from.repeat == 1)) && n.shape == shape)
    return from.data;
  float* const to = work_->scratch(entries(axis) * shape.size());
  work_->launch(kernels::Move{.x = from.data,
                              .x_entry = from.stride,
                              .repeat = from.repeat,
                              .x_rows = n.shape.rows == shape.rows ? std::max(shape.rows, 1u) : 1,
                              .x_columns = shape.cols,
                              .width = shape.cols,
                              .entries = entries(axis),
                              .rows = shape.rows,
                              .columns = shape.cols,
                              .y = to});
  return to;
}

const Node* GpuPlan::epilogue(NodeId id) const {
  return place_[id].epilogue == none ? nullptr : &node(place_[id].epilogue);
}

bool GpuPlan::aliases(const Node& n) const {
  return n.op == Op::reshape || (n.op == Op::sum_rows && node(n.args[0]).shape.rows == 1);
}

}  // namespace ulpfuzz::gpu
