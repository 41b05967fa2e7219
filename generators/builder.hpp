#pragma once

#include <cstdint>
#include <optional>

#include "topology.hpp"

namespace ulpfuzz::generators {

/// What a network may still grow by, each of one batch row.
struct Budget {
  std::uint64_t work = 0;      ///< multiply-adds
  std::uint64_t elements = 0;  ///< inputs and parameters
  std::uint32_t width = 0;     ///< elements of any one value
};

/// Appends ops to a plan and keeps within the budget. A width that does not fit is cut; where not
/// even one column fits, the operand comes back as it was.
class Builder {
 public:
  Builder(Source& source, Budget budget) : source_(source), budget_(budget) {}

  NodeId input(Shape shape);
  NodeId linear(NodeId x, std::uint32_t cols);
  /// To no columns and back: a sum of no terms.
  NodeId hollow(NodeId x);
  NodeId activation(NodeId x);
  NodeId kinked(NodeId x);
  NodeId residual(NodeId x);
  NodeId gate(NodeId x);
  NodeId branches(NodeId x);
  NodeId norm(NodeId x);
  NodeId attention(NodeId x);
  NodeId shared_matmul(NodeId x);
  NodeId tied(NodeId x);
  NodeId feature_rows(NodeId x);
  NodeId second_input(NodeId x);

  /// A random width.
  std::uint32_t width();
  Plan& plan() { return plan_; }
  const Budget& budget() const { return budget_; }
  std::uint64_t work() const { return work_; }

 private:
  Network& net() { return plan_.network; }
  Shape shape(NodeId id) const { return plan_.network.node(id).shape; }
  NodeId parameter(Purpose purpose, std::uint32_t rows, std::uint32_t cols);
  NodeId weight(std::uint32_t outputs, std::uint32_t inputs);
  NodeId affine(NodeId x, NodeId w, bool bias);
  /// The most columns that [m,k] x [k,cols] may have, all budgets kept, `copies` times.
  std::uint32_t fit(Shape x, std::uint32_t copies = 1) const;
  void spend(std::uint64_t work) {
    work_ += work;
    budget_.work -= work < budget_.work ? work : budget_.work;
  }

  Source& source_;
  Budget budget_;
  std::uint64_t work_ = 0;
  Plan plan_;
};

}  // namespace ulpfuzz::generators
