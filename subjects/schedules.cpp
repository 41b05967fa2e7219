#include "ulpfuzz/subjects/schedules.hpp"

#include <algorithm>
#include <utility>

#include "aligned_buffer.hpp"
#include "ulpfuzz/network/derivatives.hpp"

namespace ulpfuzz {
namespace {

/// Inputs of one call: where they lie as they are, or gathered rows on a 64-byte boundary plus an
/// offset. One a thread, reused from call to call.
struct Inputs {
  std::vector<const float*> pointers;
  std::vector<AlignedBuffer<float>> memory;

  float* room(std::size_t index, std::size_t count, unsigned offset) {
    if (memory.size() <= index) memory.resize(index + 1);
    float* to = memory[index].reserve(count + offset) + offset;
    pointers.push_back(to);
    return to;
  }

  /// Rows `rows` of a tensor, then `padding` rows of zeros.
  void gather(const Tensor& from, std::span<const std::uint32_t> rows, std::size_t padding,
              unsigned offset) {
    float* to = room(pointers.size(), (rows.size() + padding) * from.cols, offset);
    for (const std::uint32_t row : rows)
      to = std::copy_n(from.data.data() + std::size_t{row} * from.cols, from.cols, to);
    std::fill_n(to, padding * from.cols, 0.0f);
  }

  void whole(const Case& c) {
    pointers.clear();
    for (const Tensor& input : c.inputs) {
      if (c.layout.batch_offset == 0)
        pointers.push_back(input.data.data());
      else
        std::copy(input.data.begin(), input.data.end(),
                  room(pointers.size(), input.data.size(), c.layout.batch_offset));
    }
  }

  void slice(const Case& c, std::span<const std::uint32_t> rows, std::size_t padding = 0) {
    pointers.clear();
    for (const Tensor& input : c.inputs) gather(input, rows, padding, c.layout.slice_offset);
  }
};

Inputs& inputs() {
  thread_local Inputs kept;
  return kept;
}

std::size_t block_count(const Case& c) { return c.inputs.size() + c.parameters.size(); }

std::size_t block_elements(const Case& c, std::size_t w) {
  const std::size_t n = c.inputs.size();
  return w < n ? c.inputs[w].cols : c.parameters[w - n].data.size();
}

/// Blocks have room but no elements yet: schedules append them in order.
Jacobian empty_jacobian(const Case& c, Jacobian j) {
  j.batch = c.batch();
  j.outputs = c.output_width();
  j.elements.resize(block_count(c));
  j.blocks.resize(block_count(c));
  for (std::size_t w = 0; w < j.elements.size(); ++w) {
    j.elements[w] = block_elements(c, w);
    j.blocks[w].clear();
    j.blocks[w].reserve(j.batch * j.outputs * j.elements[w]);
  }
  return j;
}

/// Memory of several calls at once.
std::vector<Inputs>& inputs_of_group() {
  thread_local std::vector<Inputs> kept;
  return kept;
}

/// Makes `count` calls of one network, group() at once: prepare(i, inputs) lays out the inputs of
/// call i and says how many rows they have, use(i, outputs) takes its results, in order.
template <class Prepare, class Use>
void call_in_groups(Caller& caller, const Subject& subject, const Network& network, const Case& c,
                    std::size_t count, const Prepare& prepare, const Use& use) {
  std::vector<Inputs>& group = inputs_of_group();
  group.resize(std::max(group.size(), subject.group()));
  std::vector<Call> calls;
  for (std::size_t from = 0; from < count; from += calls.size()) {
    calls.clear();
    const std::size_t to = std::min(count, from + subject.group());
    for (std::size_t i = from; i < to; ++i) {
      Inputs& in = group[i - from];
      const std::size_t batch = prepare(i, in);
      calls.push_back({batch, in.pointers});
    }
    const auto results =
        caller.run_each(subject, network, c.parameters, calls, c.layout.slice_offset);
    for (std::size_t i = from; i < to; ++i) use(i, results[i - from]);
  }
}

void append(std::span<const float> from, std::vector<float>& to) {
  to.insert(to.end(), from.begin(), from.end());
}

void loop_in_groups(Caller& caller, const Subject& subject, const Case& c,
                    const DerivedNetworks& derived, Jacobian& j) {
  const auto prepare = [&](std::size_t i, Inputs& in) {
    const auto row = static_cast<std::uint32_t>(i / j.outputs);
    in.slice(c, {&row, 1});
    float* cotangent = in.room(c.inputs.size(), j.outputs, c.layout.slice_offset);
    std::fill_n(cotangent, j.outputs, 0.0f);
    cotangent[i % j.outputs] = 1.0f;
    return std::size_t{1};
  };
  const auto use = [&](std::size_t, const Outputs& out) {
    for (std::size_t w = 0; w < j.blocks.size(); ++w) append(out.values[w], j.blocks[w]);
  };
  call_in_groups(caller, subject, derived.loop, c, j.batch * j.outputs, prepare, use);
}

}  // namespace

DerivedNetworks derive(const Network& network) {
  const std::size_t width = network.at(network.outputs().front()).shape.size();
  DerivedNetworks derived;
  derived.loop = vjp(network);
  derived.reverse = vjp(network, static_cast<std::uint32_t>(width));
  derived.summed = vjp(network, 1, Reduction::batch_sum);
  const std::size_t count = network.inputs().size() + network.parameters().size();
  for (std::size_t w = 0; w < count; ++w) derived.forward.push_back(jvp(network, w));
  return derived;
}

std::vector<float> forward_batched(Caller& caller, const Subject& subject, const Case& c) {
  Inputs& in = inputs();
  in.whole(c);
  const Outputs out =
      caller.run(subject, c.network, c.parameters, c.batch(), in.pointers, c.layout.batch_offset);
  return {out.values[0].begin(), out.values[0].end()};
}

std::vector<float> forward_slice(Caller& caller, const Subject& subject, const Case& c,
                                 const Slice& slice) {
  Inputs& in = inputs();
  in.slice(c, slice.rows, slice.padding);
  const Outputs out =
      caller.run(subject, c.network, c.parameters, slice.rows.size() + slice.padding, in.pointers,
                 c.layout.slice_offset);
  const auto kept = out.values[0].first(slice.rows.size() * c.output_width());
  return {kept.begin(), kept.end()};
}

std::vector<std::vector<float>> forward_slices(Caller& caller, const Subject& subject,
                                               const Case& c) {
  std::vector<std::vector<float>> results;
  results.reserve(c.split.size());
  if (subject.group() <= 1) {
    for (const Slice& slice : c.split) results.push_back(forward_slice(caller, subject, c, slice));
    return results;
  }
  const auto prepare = [&](std::size_t i, Inputs& in) {
    const Slice& slice = c.split[i];
    in.slice(c, slice.rows, slice.padding);
    return slice.rows.size() + slice.padding;
  };
  const auto use = [&](std::size_t i, const Outputs& out) {
    const auto kept = out.values[0].first(c.split[i].rows.size() * c.output_width());
    results.emplace_back(kept.begin(), kept.end());
  };
  call_in_groups(caller, subject, c.network, c, c.split.size(), prepare, use);
  return results;
}

Jacobian jacobian_loop(Caller& caller, const Subject& subject, const Case& c,
                       const DerivedNetworks& derived, Jacobian memory) {
  Jacobian j = empty_jacobian(c, std::move(memory));
  if (j.outputs == 0) return j;
  if (subject.group() > 1) {
    loop_in_groups(caller, subject, c, derived, j);
    return j;
  }
  Inputs& in = inputs();
  for (std::uint32_t b = 0; b < j.batch; ++b) {
    in.slice(c, {&b, 1});
    float* cotangent = in.room(c.inputs.size(), j.outputs, c.layout.slice_offset);
    std::fill_n(cotangent, j.outputs, 0.0f);
    for (std::size_t o = 0; o < j.outputs; ++o) {
      cotangent[o] = 1.0f;
      const Outputs out =
          caller.run(subject, derived.loop, c.parameters, 1, in.pointers, c.layout.slice_offset);
      cotangent[o] = 0.0f;
      for (std::size_t w = 0; w < j.blocks.size(); ++w) append(out.values[w], j.blocks[w]);
    }
  }
  return j;
}

Jacobian jacobian_reverse(Caller& caller, const Subject& subject, const Case& c,
                          const DerivedNetworks& derived, Jacobian memory) {
  Jacobian j = empty_jacobian(c, std::move(memory));
  if (j.outputs == 0) return j;
  Inputs& in = inputs();
  in.whole(c);
  const std::size_t identity = j.outputs * j.outputs;
  float* cotangents = in.room(c.inputs.size(), j.batch * identity, c.layout.batch_offset);
  std::fill_n(cotangents, j.batch * identity, 0.0f);
  for (std::size_t b = 0; b < j.batch; ++b)
    for (std::size_t o = 0; o < j.outputs; ++o) cotangents[b * identity + o * j.outputs + o] = 1.0f;
  const Outputs out = caller.run(subject, derived.reverse, c.parameters, j.batch, in.pointers,
                                 c.layout.batch_offset);
  for (std::size_t w = 0; w < j.blocks.size(); ++w) append(out.values[w], j.blocks[w]);
  return j;
}

Jacobian jacobian_forward(Caller& caller, const Subject& subject, const Case& c,
                          const DerivedNetworks& derived, Jacobian memory) {
  Jacobian j = empty_jacobian(c, std::move(memory));
  Inputs& in = inputs();
  in.whole(c);
  for (std::size_t w = 0; w < j.blocks.size(); ++w) {
    if (j.batch * j.outputs * j.elements[w] == 0) continue;
    const Outputs out = caller.run(subject, derived.forward[w], c.parameters, j.batch, in.pointers,
                                   c.layout.batch_offset);
    append(out.values[0], j.blocks[w]);
  }
  return j;
}

std::vector<std::vector<float>> gradient_summed(Caller& caller, const Subject& subject,
                                                const Case& c, const DerivedNetworks& derived,
                                                std::span<const std::uint32_t> rows) {
  Inputs& in = inputs();
  in.slice(c, rows);
  in.gather(c.cotangents, rows, 0, c.layout.slice_offset);
  const Outputs out = caller.run(subject, derived.summed, c.parameters, rows.size(), in.pointers,
                                 c.layout.slice_offset);
  std::vector<std::vector<float>> gradients;
  for (std::size_t w = c.inputs.size(); w < out.values.size(); ++w)
    gradients.emplace_back(out.values[w].begin(), out.values[w].end());
  return gradients;
}

}  // namespace ulpfuzz
