#pragma once

#include "rules.hpp"
#include "ulpfuzz/bounds/outer_product.hpp"

namespace ulpfuzz::bounds {

/// An outer product that nothing reads but whoever asks for the output: its elements, of which a
/// network has thousands for each factor, wait until they are asked for.
class Deferred {
 public:
  /// Takes the product if all its elements are plainly finite, and none is told exact by its grid.
  bool take(const Node& node, const Node& a_node, const Node& b_node, const Value& a,
            const Value& b, const Value& y, const Context& c);
  void drop() { taken_ = false; }
  bool taken() const { return taken_; }

  OuterBounds bounds(std::size_t entry, const Model& m);
  /// Fills y, of one entry, as matmul_rule would.
  void elements(std::size_t entry, Value& y, Context& c) const;

 private:
  void prepare(const Model& m);

  bool taken_ = false;
  bool ready_ = false;
  const Value* a_ = nullptr;
  const Value* b_ = nullptr;
  EntryMap left_, right_;
  std::size_t rows_ = 0, cols_ = 0;
  std::vector<double> per_size_, per_error_, constant_, first_, second_;  ///< of all of a
  std::vector<double> deviation_, zeros_;                                 ///< of all of b; zeros
};

}  // namespace ulpfuzz::bounds
