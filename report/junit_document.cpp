#include "junit_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "words.hpp"

namespace ulpfuzz::report {
namespace {

using pugi::xml_node;

constexpr std::size_t most_of_a_body = 100'000;

std::string seconds_text(double seconds) {
  return fmt::format("{:.3f}", std::isfinite(seconds) ? std::clamp(seconds, 0.0, 1e12) : 0.0);
}

void set(xml_node node, const char* key, std::string_view value) {
  node.append_attribute(key) = one_line(value, 1000).c_str();
}

std::string body_text(std::string_view text) { return shortened(text, most_of_a_body); }

/// xs:dateTime without a zone, as Ant writes it; empty for what is none.
std::string timestamp_of(std::string_view date) {
  constexpr std::string_view form = "0000-00-00T00:00:00";
  const std::string_view stamp = date.substr(0, form.size());
  return has_form(stamp, form) ? std::string(stamp) : std::string();
}

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
};

Counts counts_of(xml_node suite) {
  Counts n;
  for (const xml_node test : suite.children("testcase")) {
    ++n.tests;
    n.failures += test.child("failure") ? 1 : 0;
    n.errors += test.child("error") ? 1 : 0;
    n.skipped += test.child("skipped") ? 1 : 0;
    n.seconds += test.attribute("time").as_double();
  }
  return n;
}

}  // namespace

JunitDocument::JunitDocument(std::string_view timestamp) : timestamp_(timestamp_of(timestamp)) {
  xml_node declaration = document_.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  root_ = document_.append_child("testsuites");
  set(root_, "name", "ulpfuzz");
}

JunitDocument::Suite JunitDocument::suite(std::string_view name) {
  xml_node node = root_.append_child("testsuite");
  set(node, "name", name);
  return Suite(node);
}

void JunitDocument::Suite::property(std::string_view name, std::string_view value) {
  xml_node list = node_.child("properties");
  if (!list) list = node_.append_child("properties");
  xml_node property = list.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
}

JunitDocument::Test JunitDocument::Suite::test(std::string_view classname, std::string_view name,
                                               double seconds) {
  xml_node node = node_.append_child("testcase");
  set(node, "classname", classname);
  set(node, "name", name);
  set(node, "time", seconds_text(seconds));
  return Test(node);
}

void JunitDocument::Test::say(std::string_view text) {
  node_.append_child("system-out").text() = body_text(text).c_str();
}

void JunitDocument::Test::result(const char* kind, std::string_view type, std::string_view message,
                                 std::string_view body) {
  xml_node node = node_.append_child(kind);
  set(node, "message", message);
  if (!type.empty()) set(node, "type", type);
  if (!body.empty()) node.text() = body_text(body).c_str();
}

std::string JunitDocument::text(double seconds) {
  Counts all;
  for (xml_node suite : root_.children("testsuite")) {
    const Counts n = counts_of(suite);
    set(suite, "tests", std::to_string(n.tests));
    set(suite, "failures", std::to_string(n.failures));
    set(suite, "errors", std::to_string(n.errors));
    set(suite, "skipped", std::to_string(n.skipped));
    set(suite, "time", seconds_text(n.seconds));
    if (!timestamp_.empty()) set(suite, "timestamp", timestamp_);
    all.tests += n.tests;
    all.failures += n.failures;
    all.errors += n.errors;
  }
  set(root_, "tests", std::to_string(all.tests));
  set(root_, "failures", std::to_string(all.failures));
  set(root_, "errors", std::to_string(all.errors));
  set(root_, "time", seconds_text(seconds));
  std::ostringstream out;
  document_.save(out, "  ", pugi::format_indent, pugi::encoding_utf8);
  return out.str();
}

}  // namespace ulpfuzz::report
