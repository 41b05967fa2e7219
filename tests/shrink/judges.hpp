#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "ulpfuzz/shrink/shrink.hpp"

/// Judges that need no subject: what fails is said of the case itself.
namespace ulpfuzz {

/// Reduction lengths of the linear layers, the longest.
inline std::uint32_t longest_reduction(const Case& c) {
  std::uint32_t longest = 0;
  for (const Node& node : c.network.nodes())
    if (node.op == Op::linear) longest = std::max(longest, c.network.node(node.args[1]).shape.cols);
  return longest;
}

inline Verdict failure(double share = 100, std::string cause = "unexplained",
                       FailureClass failure = FailureClass::beyond_bound) {
  Verdict v;
  v.outcome = Outcome::fail;
  v.failure = failure;
  v.cause = std::move(cause);
  v.share = share;
  return v;
}

/// Fails with `failure()` where `predicate` holds.
inline Judge failing_where(std::function<bool(const Case&)> predicate) {
  return [predicate = std::move(predicate)](const Case& c) {
    return predicate(c) ? failure() : Verdict{};
  };
}

/// linear(k -> n)+bias, relu, linear(n -> 3), numbers of `value`, split in two.
inline Case two_layers(std::uint32_t batch, std::uint32_t k, std::uint32_t n, float value = 0.75f) {
  Case c;
  Network& net = c.network;
  const NodeId x = net.input(k);
  const NodeId weight = net.parameter(n, k);
  const NodeId h = net.linear(x, weight, net.parameter(1, n));
  net.output(net.linear(net.activation(Op::relu, h), net.parameter(3, n)));
  c.parameters = {Tensor(n, k), Tensor(1, n), Tensor(3, n)};
  c.inputs = {Tensor(batch, k)};
  for (Tensor& t : c.parameters) std::fill(t.data.begin(), t.data.end(), value);
  std::fill(c.inputs[0].data.begin(), c.inputs[0].data.end(), value);
  c.split.resize(2);
  for (std::uint32_t row = 0; row < batch; ++row) c.split[row < batch / 2].rows.push_back(row);
  return c;
}

/// What it was told, for as long as it lives.
class Notebook final : public ShrinkMemory {
 public:
  std::optional<Verdict> recall(const std::string& key) override {
    const auto at = notes_.find(key);
    return at == notes_.end() ? std::nullopt : std::optional<Verdict>(at->second);
  }
  void record(const std::string& key, const Verdict& verdict) override {
    twice_ |= !notes_.emplace(key, verdict).second;
  }
  std::size_t size() const { return notes_.size(); }
  bool told_twice() const { return twice_; }

 private:
  std::map<std::string, Verdict> notes_;
  bool twice_ = false;
};

}  // namespace ulpfuzz
