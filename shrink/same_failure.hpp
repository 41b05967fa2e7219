#pragma once

#include "ulpfuzz/core/verdict.hpp"

namespace ulpfuzz::shrinking {

/// The part of same_failure() that does not depend on the share: what fails in another way than
/// this is another finding.
bool same_kind(const Verdict& original, const Verdict& candidate);

/// The least share that a failure of this kind must keep: 0 where shares mean nothing to it.
double least_share(const Verdict& original);

}  // namespace ulpfuzz::shrinking
