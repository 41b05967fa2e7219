#pragma once

#include <functional>

#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz {

/// Property::check with everything a subject may throw made a failing verdict, and a subject that
/// is broken afterwards too (FailureClass::exception, cause "device error
/// cudaErrorIllegalAddress"). What is broken stays so in this process: nothing more can be judged
/// with it here.
Verdict judge(const Property& property, const Case& c, const Subject& subject,
              const CheckOptions& options, CheckContext& context);

/// The same in a forked child, so that a crash is FailureClass::crash (cause "sigsegv", "exit 1")
/// and more than `timeout` seconds are FailureClass::hang. A skip once `cancelled` says so. Costs a
/// fork, about a millisecond. The calling process should not have evaluated the subject: not all
/// subjects work in what is forked then.
Verdict judge_isolated(const Property& property, const Case& c, const Subject& subject,
                       const CheckOptions& options, double timeout = 20,
                       const std::function<bool()>& cancelled = {});

}  // namespace ulpfuzz
