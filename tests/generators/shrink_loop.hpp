#pragma once

#include <functional>

#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::generators {

struct Shrunk {
  Case value;
  int evaluations = 0;
};

/// The plainest loop over simpler(): after a success it goes on at the same place in the new list,
/// and it ends after a whole round without one.
inline Shrunk shrink(Case start, const std::function<bool(const Case&)>& fails,
                     const Focus& focus = {}, int budget = 20'000) {
  Shrunk result{std::move(start), 0};
  std::size_t at = 0, since = 0;
  for (bool done = false; !done;) {
    const auto edits = simpler(result.value, focus);
    done = true;
    for (; since < edits.size() && result.evaluations < budget; ++since, ++at) {
      Case candidate = edits[at % edits.size()].apply();
      ++result.evaluations;
      if (!fails(candidate)) continue;
      at %= edits.size();
      result.value = std::move(candidate);
      since = 0;
      done = false;
      break;
    }
  }
  return result;
}

}  // namespace ulpfuzz::generators
