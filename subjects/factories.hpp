#pragma once

#include <memory>

#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {

/// One factory a built-in subject; registry.cpp lists them.
std::unique_ptr<const Subject> make_reference_fp64();
std::unique_ptr<const Subject> make_reference_dd();
std::unique_ptr<const Subject> make_loops();
std::unique_ptr<const Subject> make_openblas();
std::unique_ptr<const Subject> make_eigen();

}  // namespace ulpfuzz
