#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ulpfuzz {

/// Parses JSON; FileError with line and column for what is not JSON, nests deeper than
/// limits::json_depth, or names a field twice.
nlohmann::json parse_json(std::string_view text, const std::string& name);

/// A value in a document and its place ("network.nodes[3].args"). Every access checks the type and
/// refuses by FileError with the place. Refers to document and name: both must outlive it.
class JsonView {
 public:
  JsonView(const nlohmann::json& value, const std::string& name, std::string place)
      : value_(&value), name_(&name), place_(std::move(place)) {}

  [[noreturn]] void refuse(std::string_view problem, std::string_view remedy) const;
  /// The same of what is a problem and a remedy already: `line` is "problem; remedy".
  [[noreturn]] void pass_on(std::string_view line) const;

  /// The value is an object whose fields are all among `known`.
  void only(std::initializer_list<std::string_view> known) const;
  JsonView field(std::string_view key) const;
  std::optional<JsonView> find(std::string_view key) const;

  std::size_t size() const;  ///< of a list
  JsonView at(std::size_t index) const;

  const std::string& text() const;
  /// A whole number in 0..max.
  std::uint32_t number(std::uint32_t max = 0xffffffffu) const;
  bool flag() const;
  const nlohmann::json::object_t& object() const;

 private:
  const nlohmann::json* value_;
  const std::string* name_;
  std::string place_;
};

}  // namespace ulpfuzz
