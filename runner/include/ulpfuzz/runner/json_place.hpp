#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {

/// Where in a JSON file a value is, for FileError "NAME: buckets[3].count: what is wrong; how to
/// mend it".
class Place {
 public:
  enum class Unknown : bool { ignored, refused };  ///< keys that no list of members has
  explicit Place(const std::string& file, Unknown keys = Unknown::ignored)
      : file_(&file), keys_(keys) {}

  Place at(const std::string& key) const {
    return {*this, path_.empty() ? key : fmt::format("{}.{}", path_, key)};
  }
  Place at(std::size_t i) const { return {*this, fmt::format("{}[{}]", path_, i)}; }
  bool strict() const { return keys_ == Unknown::refused; }

  [[noreturn]] void refuse(const std::string& what) const {
    throw FileError(fmt::format("{}: {}: {}", *file_, path_.empty() ? "top" : path_, what));
  }
  /// Refuses a value that is not "a whole number", or what else is wanted.
  template <class Json>
  void expect(bool holds, const Json& value, const std::string& wanted) const {
    if (holds) return;
    std::string shown = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (shown.size() > 40) shown = fmt::format("{} of {} members", value.type_name(), value.size());
    refuse(fmt::format("{} does not fit; {} would", shown, wanted));
  }

 private:
  Place(const Place& above, std::string path)
      : file_(above.file_), path_(std::move(path)), keys_(above.keys_) {}
  const std::string* file_;
  std::string path_;
  Unknown keys_;
};

/// The member `key` of an object; refused where it is not there.
template <class Json>
const Json& member_of(const Json& object, const std::string& key, const Place& place) {
  const auto found = object.find(key);
  if (found == object.end()) place.at(key).refuse("is missing; take the file as it was written");
  return *found;
}

/// Refuses an object with other keys than these, where the place is a strict one.
template <class Json>
void expect_no_other(const Json& object, const std::set<std::string>& known, const Place& place) {
  if (!place.strict()) return;
  for (const auto& [key, value] : object.items())
    if (known.count(key) == 0)
      place.at(key).refuse("is not known; remove it, or use the ulpfuzz that wrote it");
}

/// FileError for what is no JSON. `remedy`: "a summary is JSON as `ulpfuzz run` writes it".
template <class Json>
Json parsed_json(std::string_view text, const std::string& name, std::string_view remedy) {
  try {
    return Json::parse(text);
  } catch (const typename Json::exception& error) {
    std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, ..."
    if (const auto end = what.find("] "); end != what.npos) what.erase(0, end + 2);
    throw FileError(fmt::format("{}: {}; {}", name, what, remedy));
  }
}

/// Refuses a file that is not of this kind and schema. `otherwise`: "no summary of a run; name
/// ...".
template <class Json>
void expect_schema(const Json& all, const Place& top, std::string_view kind, int schema,
                   std::string_view otherwise) {
  top.expect(all.is_object(), all, "an object");
  if (const auto found = all.find("kind"); found == all.end() || *found != kind)
    top.at("kind").refuse(fmt::format("is not \"{}\": {}", kind, otherwise));
  const Json& found = member_of(all, "schema", top);
  top.at("schema").expect(found.is_number_integer(), found, "a whole number");
  if (found != schema)
    top.at("schema").refuse(
        fmt::format("{} is not {}, which this ulpfuzz reads; use the ulpfuzz that wrote it",
                    found.dump(), schema));
}

}  // namespace ulpfuzz
