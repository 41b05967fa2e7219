#pragma once

#include <cstdint>
#include <functional>

#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz {

/// Property::check with everything a subject may throw made a failing verdict, and a subject that
/// is broken afterwards too (FailureClass::exception, cause "device error
/// cudaErrorIllegalAddress"). An allocation that fails is FailureClass::out_of_memory; what the
/// subject holds then stays with this process. What is broken stays so in this process: nothing
/// more can be judged with it here.
Verdict judge(const Property& property, const Case& c, const Subject& subject,
              const CheckOptions& options, CheckContext& context);

/// Mebibytes that a process which evaluates may take where nobody says otherwise.
inline constexpr std::uint64_t usual_memory_limit = 4096;

/// The same in a forked child, so that a crash is FailureClass::crash (cause "sigsegv", "exit 1",
/// or what a sanitizer reports: "asan heap-buffer-overflow"), more than `timeout` seconds are
/// FailureClass::hang and more than `memory_limit` mebibytes (0: no limit) are
/// FailureClass::out_of_memory. A skip once `cancelled` says so. Costs a
/// fork, about a millisecond. The calling process should not have evaluated the subject: not all
/// subjects work in what is forked then.
Verdict judge_isolated(const Property& property, const Case& c, const Subject& subject,
                       const CheckOptions& options, double timeout = 20,
                       const std::function<bool()>& cancelled = {},
                       std::uint64_t memory_limit = usual_memory_limit);

}  // namespace ulpfuzz
