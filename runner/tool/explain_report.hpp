#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "explain_evidence.hpp"

namespace ulpfuzz::tool {

/// For people: verdict first, then cause, layers, numbers, remedy.
std::string explanation_text(const diagnosis::Explanation& e, const Network& network,
                             const Question& question);
/// For machines (docs/explain.md); numbers that are not finite are null. `subject`: subject_json(),
/// or null.
std::string explanation_json(const diagnosis::Explanation& e,
                             const nlohmann::ordered_json& subject);

}  // namespace ulpfuzz::tool
