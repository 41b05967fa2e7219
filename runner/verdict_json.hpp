#pragma once

#include <nlohmann/json.hpp>

#include "ulpfuzz/core/verdict.hpp"
#include "ulpfuzz/runner/json_text.hpp"

namespace ulpfuzz {

/// For messages between processes and for journals: numbers by json_number(), floats also as bits.
nlohmann::json to_json(const Verdict& verdict);
Verdict verdict_from(const nlohmann::json& json);

/// The same in few bytes where it does not fail: the worst element and the cause are left out.
nlohmann::json to_record(const Verdict& verdict);
Verdict verdict_from_record(const nlohmann::json& json);

}  // namespace ulpfuzz
