#include "ulpfuzz/nightly/nightly.hpp"

namespace ulpfuzz::nightly {

report::Night merge(const MergeOptions&) { return {}; }

}  // namespace ulpfuzz::nightly
