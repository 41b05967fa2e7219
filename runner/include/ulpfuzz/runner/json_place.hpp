#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

namespace ulpfuzz {

/// FileError for what is no JSON, or has a key twice in one object. `remedy`: "a summary is JSON as
/// `ulpfuzz run` writes it".
nlohmann::json parsed_json(std::string_view text, const std::string& name, std::string_view remedy);

/// Where in a JSON file a value is, for FileError "NAME: buckets[3].count: what is wrong; how to
/// mend it".
class Place {
 public:
  enum class Unknown : bool { ignored, refused };  ///< keys that no list of members has
  explicit Place(std::string file, Unknown keys = Unknown::ignored);

  Place at(const std::string& key) const;
  Place at(std::size_t i) const;
  bool strict() const { return keys_ == Unknown::refused; }

  [[noreturn]] void refuse(const std::string& what) const;
  /// Refuses a value that is not "a whole number", or what else is wanted.
  void expect(bool holds, const nlohmann::json& value, const std::string& wanted) const;

 private:
  std::string file_, path_;
  Unknown keys_;
};

/// The member `key` of an object; refused where it is not there.
const nlohmann::json& member_of(const nlohmann::json& object, const std::string& key,
                                const Place& place);

/// Refuses an object with other keys than these, where the place is a strict one.
void expect_no_other(const nlohmann::json& object, const std::set<std::string>& known,
                     const Place& place);

/// Refuses a file that is not of this kind. `otherwise`: "no summary of a run; name ...".
void expect_kind(const nlohmann::json& all, const Place& top, std::string_view kind,
                 std::string_view otherwise);
/// Refuses a file of another schema.
void expect_schema(const nlohmann::json& all, const Place& top, int schema);

}  // namespace ulpfuzz
