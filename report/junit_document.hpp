#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace ulpfuzz::report {

/// JUnit XML as Jenkins' schema (junit-10.xsd of its xUnit plugin) has it: test cases hold no
/// properties there, so these are lines "[[PROPERTY|name=value]]" in system-out, which readers of
/// JUnit files know. All text is cleaned: XML has no control characters.
class JunitDocument {
 public:
  /// Times in seconds; `timestamp`: 2026-11-30T02:00:00Z, or anything else, which is left out.
  explicit JunitDocument(std::string_view timestamp);

  class Test {
   public:
    explicit Test(pugi::xml_node node) : node_(node) {}
    void fail(std::string_view type, std::string_view message, std::string_view body) {
      result("failure", type, message, body);
    }
    void error(std::string_view type, std::string_view message, std::string_view body) {
      result("error", type, message, body);
    }
    void skip(std::string_view message) { result("skipped", "", message, ""); }
    void say(std::string_view text);

   private:
    void result(const char* kind, std::string_view type, std::string_view message,
                std::string_view body);
    pugi::xml_node node_;
  };

  class Suite {
   public:
    explicit Suite(pugi::xml_node node) : node_(node) {}
    /// Before any test.
    void property(std::string_view name, std::string_view value);
    Test test(std::string_view classname, std::string_view name, double seconds = 0);

   private:
    pugi::xml_node node_;
  };

  Suite suite(std::string_view name);
  /// With the counts filled in.
  std::string text(double seconds);

 private:
  pugi::xml_document document_;
  pugi::xml_node root_;
  std::string timestamp_;
};

}  // namespace ulpfuzz::report
