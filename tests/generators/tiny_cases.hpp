#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {

/// linear(3 -> 4)+bias, tanh, linear(4 -> 2): all numbers of a tensor are the same.
inline Case mlp(std::uint32_t batch) {
  Case c;
  Network& net = c.network;
  const NodeId x = net.input(3);
  const NodeId w = net.parameter(4, 3), b = net.parameter(1, 4);
  const NodeId h = net.activation(Op::tanh, net.linear(x, w, b));
  const NodeId v = net.parameter(2, 4);
  net.output(net.linear(h, v));
  c.inputs = {Tensor(batch, 3, std::vector<float>(3 * batch, 1.25f))};
  c.parameters = {Tensor(4, 3, std::vector<float>(12, 0.3f)),
                  Tensor(1, 4, std::vector<float>(4, -2.0f)),
                  Tensor(2, 4, std::vector<float>(8, 0.7f))};
  c.cotangents = Tensor(batch, 2, std::vector<float>(2 * batch, 3.0f));
  Slice all;
  for (std::uint32_t r = 0; r < batch; ++r) all.rows.push_back(r);
  c.split = {all};
  return c;
}

/// relu of one input row of these numbers.
inline Case relu_of(std::vector<float> numbers) {
  Case c;
  const auto n = static_cast<std::uint32_t>(numbers.size());
  c.network.output(c.network.activation(Op::relu, c.network.input(n)));
  c.inputs = {Tensor(1, n, std::move(numbers))};
  c.split = {Slice{{0}, 0}};
  return c;
}

/// linear(k -> n) without bias, of ones.
inline Case linear(std::uint32_t batch, std::uint32_t k, std::uint32_t n) {
  Case c;
  const NodeId x = c.network.input(k), w = c.network.parameter(n, k);
  c.network.output(c.network.linear(x, w));
  c.inputs = {Tensor(batch, k, std::vector<float>(std::size_t{batch} * k, 1.0f))};
  c.parameters = {Tensor(n, k, std::vector<float>(std::size_t{n} * k, 1.0f))};
  c.split = {Slice{{0}, 0}};
  return c;
}

inline std::vector<Edit> edits_of(std::string_view pass, const Case& c, const Focus& focus = {}) {
  const auto it = std::ranges::find(passes(), pass, &Pass::name);
  return it == passes().end() ? std::vector<Edit>{} : it->edits(c, focus);
}

inline const Edit* find(const std::vector<Edit>& edits, const std::string& name) {
  const auto it = std::ranges::find(edits, name, &Edit::name);
  return it == edits.end() ? nullptr : &*it;
}

/// The case after the edit of that name. A failure of the test, and the case itself, without one.
inline Case after(std::string_view pass, const std::string& name, const Case& c,
                  const Focus& focus = {}) {
  const auto edits = edits_of(pass, c, focus);
  const Edit* edit = find(edits, name);
  if (edit != nullptr) return edit->apply();
  ADD_FAILURE() << pass << " has no edit \"" << name << "\"";
  return c;
}

}  // namespace ulpfuzz::generators
