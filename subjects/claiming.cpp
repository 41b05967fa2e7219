#include "ulpfuzz/subjects/claiming.hpp"

#include <algorithm>
#include <memory>

namespace ulpfuzz {

Arithmetic with_functions_of(const Subject& subject, Arithmetic arithmetic) {
  const ElementaryAccuracy own = subject.arithmetic().elementary;
  ElementaryAccuracy& all = arithmetic.elementary;
  all.exp = std::max(all.exp, own.exp);
  all.exp_per_unit = std::max(all.exp_per_unit, own.exp_per_unit);
  all.tanh = std::max(all.tanh, own.tanh);
  all.erf = std::max(all.erf, own.erf);
  all.log1p = std::max(all.log1p, own.log1p);
  all.rsqrt = std::max(all.rsqrt, own.rsqrt);
  return arithmetic;
}

Registry claiming(const Registry& subjects, const Arithmetic& arithmetic) {
  Registry registry;
  for (const Subject* subject : subjects.all())
    registry.add(std::make_unique<Claiming>(*subject, with_functions_of(*subject, arithmetic)));
  return registry;
}

}  // namespace ulpfuzz
