#pragma once

#include <span>
#include <string>
#include <vector>

#include "profile.hpp"

namespace ulpfuzz::gpu {

/// One line of a heuristic: a kernel, and the products it is taken for.
struct Rule {
  bool (*fits)(const kernels::Product&);
  kernels::Launch kernel;  ///< Gemm, Gemv or UnitGemm, without its product
};
constexpr bool always(const kernels::Product&) { return true; }
/// Tiles of so few elements would leave a device idle without split-K.
constexpr bool few_outputs(const kernels::Product& p) { return p.m * p.n * p.entries <= 4096; }

/// A profile as a table: of the rules that fit a product the first is taken.
class TableProfile : public Profile {
 public:
  /// Throws std::invalid_argument where the last rule does not fit always, or a kernel is none of
  /// products.
  TableProfile(std::string description, Arithmetic claim, std::vector<Rule> rules);

  std::string description() const override { return description_; }
  Arithmetic arithmetic(int) const override { return claim_; }
  void multiply(Session& session, const kernels::Product& product) const override;

 private:
  std::string description_;
  Arithmetic claim_;
  std::vector<Rule> rules_;
};

}  // namespace ulpfuzz::gpu
