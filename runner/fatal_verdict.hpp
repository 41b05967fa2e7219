#pragma once

#include <fmt/format.h>

#include <string_view>

#include "failed_verdict.hpp"
#include "ulpfuzz/runner/process.hpp"

namespace ulpfuzz {

/// Of a subject whose process ended before it could answer; `waited`: seconds, for a hang.
inline Verdict fatal_verdict(std::string_view subject, const process::Ending& ending,
                             double waited) {
  using How = process::Ending::How;
  if (ending.how == How::timed_out)
    return failed_verdict(FailureClass::hang, process::word(ending),
                          fmt::format("{} made no progress for {:g} s", subject, waited));
  return failed_verdict(
      ending.how == How::grown ? FailureClass::out_of_memory : FailureClass::crash,
      process::word(ending), fmt::format("{} {}", subject, process::describe(ending)));
}

}  // namespace ulpfuzz
