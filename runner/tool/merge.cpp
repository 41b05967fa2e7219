#include "verbs.hpp"

namespace ulpfuzz::tool {

void add_merge(CLI::App&, int&) {}

}  // namespace ulpfuzz::tool
