#include "simt_table.hpp"

#include <stdexcept>
#include <type_traits>
#include <utility>

namespace ulpfuzz::gpu {
namespace {

using kernels::Product;

template <class Kernel>
constexpr bool multiplies = requires(Kernel k) {
  k.product = Product{};
};

void check(const Rule& rule) {
  std::visit(
      [](const auto& kernel) {
        if (!multiplies<std::decay_t<decltype(kernel)>>)
          throw std::invalid_argument(
              "a rule with a kernel that does not multiply; Gemm, Gemv or UnitGemm would fit");
      },
      rule.kernel);
}

}  // namespace

TableProfile::TableProfile(std::string description, Arithmetic claim, std::vector<Rule> rules)
    : description_(std::move(description)), claim_(claim), rules_(std::move(rules)) {
  for (const Rule& rule : rules_) check(rule);
  if (rules_.empty() || rules_.back().fits != always)
    throw std::invalid_argument("a table that may not fit; a last rule that always does would");
}

void TableProfile::multiply(Session& session, const Product& product) const {
  for (const Rule& rule : rules_) {
    if (!rule.fits(product)) continue;
    std::visit(
        [&](auto kernel) {
          if constexpr (multiplies<decltype(kernel)>) {
            kernel.product = product;
            session.launch(kernel);
          }
        },
        rule.kernel);
    return;
  }
}

}  // namespace ulpfuzz::gpu
