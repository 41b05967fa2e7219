#pragma once

namespace ulpfuzz::report {

/// Grows with each change of the keys of a night's summary: a reader knows all of a schema or
/// none of it.
inline constexpr int night_schema = 1;
inline constexpr const char* night_kind = "night";

}  // namespace ulpfuzz::report
