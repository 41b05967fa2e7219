#pragma once

#include <array>
#include <string>
#include <vector>

#include "ulpfuzz/network/network.hpp"

/// Small networks that together use every op, axis and way of sharing.
namespace ulpfuzz::examples {

struct Example {
  std::string name;
  Network network;
};

namespace build {

/// linear with a new weight, then a new bias. (As arguments of one call they would be made in an
/// order that C++ leaves open.)
inline NodeId dense(Network& n, NodeId x, std::uint32_t width) {
  const NodeId weight = n.parameter(width, n.node(x).shape.cols);
  return n.linear(x, weight, n.parameter(1, width));
}

inline NodeId project(Network& n, NodeId x, std::uint32_t width) {
  return n.linear(x, n.parameter(width, n.node(x).shape.cols));
}

inline Network activation(Op op) {
  Network n;
  const NodeId x = n.input(3);
  const NodeId h = dense(n, x, 4);
  n.output(project(n, n.activation(op, h), 2));
  return n;
}

inline Network row_function(Op op, std::uint32_t rows) {
  Network n;
  const NodeId h = dense(n, n.input(Shape{rows, 3}), 4);
  n.output(op == Op::softmax      ? n.softmax(h)
           : op == Op::layer_norm ? n.layer_norm(h, 0.01f)
                                  : n.rms_norm(h, 0.01f));
  return n;
}

/// matmul of [2,3] and [3,4] once transposed; which: operand that is a parameter, 2 for none.
inline Network matmul(bool ta, bool tb, int which) {
  Network n;
  const Shape a = ta ? Shape{3, 2} : Shape{2, 3};
  const Shape b = tb ? Shape{4, 3} : Shape{3, 4};
  const NodeId left = which == 0 ? n.parameter(a.rows, a.cols) : n.input(a);
  const NodeId right = which == 1 ? n.parameter(b.rows, b.cols) : n.input(b);
  n.output(n.activation(Op::tanh, n.matmul(left, right, ta, tb)));
  return n;
}

/// x op p, p op x: p shared of the given number of feature rows.
inline Network shared_operand(Op op, std::uint32_t rows, std::uint32_t shared_rows) {
  Network n;
  const NodeId x = n.input(Shape{rows, 3});
  const auto apply = [&](NodeId a, NodeId b) { return op == Op::add ? n.add(a, b) : n.mul(a, b); };
  const NodeId h = n.activation(Op::tanh, apply(x, n.parameter(shared_rows, 3)));
  n.output(apply(n.parameter(shared_rows, 3), h));
  return n;
}

inline Network residual() {
  Network n;
  const NodeId x = n.input(3);
  const NodeId h = n.activation(Op::relu, dense(n, x, 3));
  const NodeId y = n.add(x, n.mul(h, n.activation(Op::sigmoid, x)));
  n.output(n.mul(y, y));
  return n;
}

inline Network concat() {
  Network n;
  const NodeId x = n.input(Shape{2, 2});
  const NodeId z = n.input(Shape{2, 3});
  const NodeId left = n.activation(Op::tanh, x);
  const NodeId right = n.concat(z, x);
  n.output(project(n, n.concat(left, right), 2));
  return n;
}

inline Network reshape() {
  Network n;
  const NodeId h = dense(n, n.input(6), 6);
  const NodeId wide = dense(n, n.reshape(h, Shape{3, 2}), 4);
  n.output(n.reshape(n.activation(Op::tanh, wide), Shape{1, 12}));
  return n;
}

/// Each parameter is used twice: a weight, a bias, a gain, and a weight that is a matmul operand
/// too.
inline Network reused() {
  Network n;
  const NodeId w = n.parameter(3, 3);
  const NodeId b = n.parameter(1, 3);
  const NodeId g = n.parameter(1, 3);
  NodeId h = n.input(Shape{2, 3});
  for (int i = 0; i < 2; ++i) {
    h = n.activation(Op::tanh, n.linear(h, w, b));
    h = n.mul(h, g);
  }
  n.output(n.add(n.matmul(h, w), b));
  return n;
}

/// A weight that multiplies itself through rows: x w and w^T (x w)^T.
inline Network both_sides() {
  Network n;
  const NodeId w = n.parameter(3, 3);
  const NodeId x = n.input(Shape{3, 3});
  n.output(n.matmul(w, n.matmul(x, w), true, true));
  return n;
}

inline Network attention() {
  Network n;
  const NodeId x = n.input(Shape{3, 4});
  const NodeId q = project(n, n.layer_norm(x), 2);
  const NodeId k = dense(n, n.rms_norm(x), 2);
  const NodeId weights = n.softmax(n.matmul(q, k, false, true));
  n.output(n.add(x, n.matmul(weights, project(n, x, 4))));
  return n;
}

inline Network mlp() {
  Network n;
  NodeId h = n.input(2);
  for (const std::uint32_t width : {5u, 4u}) {
    h = n.activation(Op::relu, dense(n, h, width));
  }
  n.output(dense(n, h, 3));
  return n;
}

/// One activation value and one phi' read by two users; a bare input as output.
inline Network two_users() {
  Network n;
  const NodeId x = n.input(3);
  const NodeId a = n.activation(Op::tanh, x);
  const NodeId b = n.activation(Op::tanh, x);
  n.output(n.add(n.mul(a, b), a));
  return n;
}

inline Network identity() {
  Network n;
  n.output(n.input(3));
  return n;
}

}  // namespace build

inline std::vector<Example> all() {
  std::vector<Example> list;
  for (int op = static_cast<int>(Op::relu); op <= static_cast<int>(Op::elu); ++op) {
    list.push_back({std::string(name(Op(op))), build::activation(Op(op))});
  }
  for (const Op op : {Op::softmax, Op::layer_norm, Op::rms_norm}) {
    list.push_back({std::string(name(op)), build::row_function(op, 1)});
    list.push_back({std::string(name(op)) + "_rows", build::row_function(op, 3)});
  }
  for (int i = 0; i < 12; ++i) {
    constexpr std::array<const char*, 3> which = {"_left_shared", "_right_shared", ""};
    const bool ta = (i & 1) != 0;
    const bool tb = (i & 2) != 0;
    list.push_back({std::string("matmul") + (ta ? "_ta" : "") + (tb ? "_tb" : "") + which[i / 4],
                    build::matmul(ta, tb, i / 4)});
  }
  for (const Op op : {Op::add, Op::mul}) {
    const std::string base = std::string(name(op)) + "_shared_";
    list.push_back({base + "1_to_1", build::shared_operand(op, 1, 1)});
    list.push_back({base + "1_to_3", build::shared_operand(op, 3, 1)});
    list.push_back({base + "3_to_3", build::shared_operand(op, 3, 3)});
  }
  list.push_back({"residual", build::residual()});
  list.push_back({"concat", build::concat()});
  list.push_back({"reshape", build::reshape()});
  list.push_back({"reused", build::reused()});
  list.push_back({"both_sides", build::both_sides()});
  list.push_back({"attention", build::attention()});
  list.push_back({"mlp", build::mlp()});
  list.push_back({"two_users", build::two_users()});
  list.push_back({"identity", build::identity()});
  return list;
}

}  // namespace ulpfuzz::examples
