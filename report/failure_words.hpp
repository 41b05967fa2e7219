#pragma once

#include <string_view>

#include "ulpfuzz/core/verdict.hpp"

namespace ulpfuzz::report {

/// What a class of failures means, as a part of a sentence.
std::string_view meaning_of(FailureClass failure);

}  // namespace ulpfuzz::report
