#include "junit_rules.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

namespace ulpfuzz::report {
namespace {

using Words = std::set<std::string>;

struct Rule {
  Words children, required, optional;
  bool text = false;
};

const std::map<std::string, Rule>& rules() {
  static const Rule result{{}, {}, {"type", "message"}, true};
  static const std::map<std::string, Rule> all{
      {"testsuites", {{"testsuite"}, {}, {"name", "time", "tests", "failures", "errors"}}},
      {"testsuite",
       {{"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors"},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log",
         "url"}}},
      {"properties", {{"property"}, {}, {}}},
      {"property", {{}, {"name", "value"}, {}}},
      {"testcase",
       {{"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError",
         "system-out", "system-err"},
        {"name"},
        {"time", "classname", "group"}}},
      {"failure", result},
      {"error", result},
      {"skipped", result},
      {"system-out", {{}, {}, {}, true}},
      {"system-err", {{}, {}, {}, true}}};
  return all;
}

void check_attributes(pugi::xml_node node, const Rule& rule, std::vector<std::string>& broken) {
  static const std::regex time(R"((([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?)");
  for (const std::string& key : rule.required)
    if (!node.attribute(key.c_str()))
      broken.push_back(fmt::format("{} has no {}", node.name(), key));
  for (const auto attribute : node.attributes()) {
    const std::string key = attribute.name();
    if (rule.required.count(key) + rule.optional.count(key) == 0)
      broken.push_back(fmt::format("{} has {}", node.name(), key));
    if (key == "time" && !std::regex_match(attribute.value(), time))
      broken.push_back(fmt::format("time {}", attribute.value()));
  }
}

void check_counts(pugi::xml_node suite, std::vector<std::string>& broken) {
  std::map<std::string, int> counts{{"tests", 0}, {"failures", 0}, {"errors", 0}, {"skipped", 0}};
  for (const auto test : suite.children("testcase")) {
    ++counts["tests"];
    counts["failures"] += test.child("failure") ? 1 : 0;
    counts["errors"] += test.child("error") ? 1 : 0;
    counts["skipped"] += test.child("skipped") ? 1 : 0;
  }
  for (const auto& [key, n] : counts)
    if (suite.attribute(key.c_str()).as_int(-1) != n)
      broken.push_back(fmt::format("{} of {} is not {}", key, suite.attribute("name").value(), n));
}

void check(pugi::xml_node node, std::vector<std::string>& broken) {
  const auto rule = rules().find(node.name());
  if (rule == rules().end()) {
    broken.push_back(fmt::format("element {}", node.name()));
    return;
  }
  check_attributes(node, rule->second, broken);
  if (rule->first == "testsuite") check_counts(node, broken);
  for (const auto child : node.children()) {
    if (child.type() == pugi::node_pcdata || child.type() == pugi::node_cdata) {
      if (!rule->second.text) broken.push_back(fmt::format("text in {}", node.name()));
      continue;
    }
    if (rule->second.children.count(child.name()) == 0)
      broken.push_back(fmt::format("{} in {}", child.name(), node.name()));
    else
      check(child, broken);
  }
}

}  // namespace

std::vector<std::string> broken_rules(const pugi::xml_document& document) {
  std::vector<std::string> broken;
  check(document.document_element(), broken);
  return broken;
}

std::vector<std::string> forbidden_characters(const std::string& xml) {
  std::vector<std::string> found;
  try {
    nlohmann::json(xml).dump();
  } catch (const nlohmann::json::exception& error) {
    found.emplace_back(error.what());
  }
  for (std::size_t at = 0; at < xml.size(); ++at) {
    const auto byte = static_cast<unsigned char>(xml[at]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
      found.push_back(fmt::format("byte {:02x} at {}", byte, at));
  }
  for (const char* none : {"\xef\xbf\xbe", "\xef\xbf\xbf", "&#x0", "&#0", "&#1;", "&#27;"})
    if (xml.find(none) != xml.npos) found.push_back(fmt::format("noncharacter {}", none));
  return found;
}

}  // namespace ulpfuzz::report
