#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::report {

std::string to_sarif(const Night&) { return {}; }

}  // namespace ulpfuzz::report
