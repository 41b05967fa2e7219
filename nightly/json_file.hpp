#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ulpfuzz::nightly {

/// All of a file; nothing where there is none. FileError for one that cannot be read.
std::optional<std::string> file_text(const std::filesystem::path& file);

/// A value of a JSON file and where it stands: all that is wrong with it is a FileError
/// "FILE: known[2].until: what is wrong; how to mend it".
class JsonAt {
 public:
  /// `remedy`: what a file should be that is no JSON.
  static nlohmann::json parsed(std::string_view text, const std::string& file,
                               const std::string& remedy);
  JsonAt(const nlohmann::json& value, std::string file) : value_(&value), file_(std::move(file)) {}

  const nlohmann::json& value() const { return *value_; }
  /// Refuses other keys than these, and a missing one of the first `needed`.
  void expect_keys(std::initializer_list<std::string_view> keys, std::size_t needed) const;
  void expect_schema(int schema) const;
  bool has(const std::string& key) const { return value_->contains(key); }
  JsonAt at(const std::string& key) const;
  JsonAt at(std::size_t i) const;
  std::size_t size() const { return value_->size(); }

  const JsonAt& list() const;
  const JsonAt& object() const;
  std::string text() const;
  bool flag() const;
  std::uint64_t count() const;
  std::vector<std::string> texts() const;

  [[noreturn]] void refuse(const std::string& what, const std::string& remedy) const;

 private:
  const JsonAt& expect(bool holds, const std::string& wanted) const;
  const nlohmann::json* value_;
  std::string file_, path_;
};

/// For people and line by line for diffs; what is not UTF-8 is replaced.
std::string dump(const nlohmann::json& json, int indent = -1);

}  // namespace ulpfuzz::nightly
