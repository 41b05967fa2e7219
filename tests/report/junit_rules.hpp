#pragma once

#include <pugixml.hpp>
#include <string>
#include <vector>

namespace ulpfuzz::report {

/// What breaks the schema by which Jenkins judges JUnit XML (junit-10.xsd of its xUnit plugin), a
/// line each: elements and attributes that it does not have, and required ones that are missing.
/// Also counts of a suite that are not those of its test cases.
std::vector<std::string> broken_rules(const pugi::xml_document& document);

/// What XML 1.0 forbids though pugixml reads it: bytes that are not UTF-8, control characters,
/// U+FFFE and U+FFFF.
std::vector<std::string> forbidden_characters(const std::string& xml);

}  // namespace ulpfuzz::report
