#include "faults.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {

Registry planted_faults() {
  faults::Subjects list;
  faults::add_linear_faults(list);
  faults::add_sum_faults(list);
  faults::add_row_faults(list);
  faults::add_function_faults(list);
  faults::add_gradient_faults(list);
  faults::add_conduct_faults(list);
  Registry registry;
  for (auto& subject : list) registry.add(std::move(subject));
  return registry;
}

}  // namespace ulpfuzz
