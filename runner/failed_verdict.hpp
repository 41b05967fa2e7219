#pragma once

#include <string>
#include <utility>

#include "ulpfuzz/core/verdict.hpp"

namespace ulpfuzz {

/// Of a subject that gave no numbers to judge.
inline Verdict failed_verdict(FailureClass failure, std::string cause, std::string reason) {
  Verdict v;
  v.outcome = Outcome::fail;
  v.failure = failure;
  v.cause = std::move(cause);
  v.reason = std::move(reason);
  return v;
}

}  // namespace ulpfuzz
