#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "ulpfuzz/core/verdict.hpp"

namespace ulpfuzz {

/// A finite JSON number for any share or difference: infinity is the largest double and NaN is 0,
/// because JSON has neither.
double finite(double value);
/// The inverse, for infinity.
double restored(double value);

/// For messages between processes and for reports: finite() numbers, floats also as text.
nlohmann::json to_json(const Verdict& verdict);
Verdict verdict_from(const nlohmann::json& json);

/// The same in few bytes where it does not fail: the worst element and the cause are left out.
nlohmann::json to_record(const Verdict& verdict);
Verdict verdict_from_record(const nlohmann::json& json);

/// dump() that replaces what is not UTF-8 instead of throwing: messages of subjects are anything.
std::string dump(const nlohmann::json& json, int indent = -1);

}  // namespace ulpfuzz
