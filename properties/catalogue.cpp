#include <algorithm>
#include <array>

#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz::properties {

std::span<const Property* const> all() {
  static constexpr std::array<const Property*, 2> list{&batched_vs_sliced, &loop_vs_vectorized};
  return list;
}

const Property* find(std::string_view name) {
  const auto list = all();
  const auto found =
      std::find_if(list.begin(), list.end(), [name](const Property* p) { return p->name == name; });
  return found == list.end() ? nullptr : *found;
}

}  // namespace ulpfuzz::properties
