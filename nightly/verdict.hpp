#pragma once

#include <string>

#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::nightly {

/// What a night means to those who started it, the first that applies: 4 infrastructure (errors), 3
/// a bucket has returned, 1 a new or open one, 6 only flaky ones, 5 too little was executed, 0
/// nothing new: known ones are quiet.
int exit_code(const report::Night& night);

/// Property and subject that never judged a case, in a sentence; or empty: then enough was
/// executed.
std::string too_little(const report::Night& night);

}  // namespace ulpfuzz::nightly
