#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "edits.hpp"

namespace ulpfuzz::generators {

/// Offers cuts of the dimensions of a case.
class Widths {
 public:
  Widths(const Case& c, Edits& edits);

  const Draft& draft() const { return *draft_; }
  const std::vector<Draft::Class>& classes() const { return classes_; }
  /// A dimension of the output.
  bool is_output(const Draft::Class& d) const;
  /// A dimension that products sum over.
  bool is_inner(const Draft::Class& d) const { return inner_[d.id]; }
  /// Whether all of it may go.
  bool may_be_empty(const Draft::Class& d) const;

  /// Of a class of `size` indices, first .. last - 1 stay, or go.
  struct Cut {
    std::uint32_t id, size, first, last;
    bool stay;
  };
  /// What is done to the case after the cuts, with the case before.
  using After = std::function<void(Case&, const Case&)>;
  /// Does nothing where a concatenation or a reshape forbids it, or where finding out has cost
  /// enough.
  void offer(std::string name, std::vector<Cut> cuts, After after = {});

 private:
  const Case& c_;
  Edits& edits_;
  std::shared_ptr<const Draft> draft_;
  std::vector<Draft::Class> classes_;
  std::vector<bool> inner_;  ///< by class
  bool linked_;
  std::size_t left_;
};

}  // namespace ulpfuzz::generators
