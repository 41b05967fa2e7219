#include "verbs.hpp"

namespace ulpfuzz::tool {

void add_report(CLI::App&, int&) {}

}  // namespace ulpfuzz::tool
