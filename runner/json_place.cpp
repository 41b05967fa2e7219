#include "ulpfuzz/runner/json_place.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/network/doubled_key.hpp"
#include "ulpfuzz/runner/json_text.hpp"

namespace ulpfuzz {

using nlohmann::json;

namespace {

/// Whatever it quotes of a file.
std::string in_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

}  // namespace

json parsed_json(std::string_view text, const std::string& name, std::string_view remedy) {
  try {
    json value = json::parse(text);
    if (const auto place = doubled_key(text))
      throw FileError(
          in_one_line(fmt::format("{}: {}: is given twice; keep one of them", name, *place)));
    return value;
  } catch (const json::exception& error) {
    std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, ..."
    if (const auto end = what.find("] "); end != what.npos) what.erase(0, end + 2);
    throw FileError(in_one_line(fmt::format("{}: {}; {}", name, what, remedy)));
  }
}

Place::Place(std::string file, Unknown keys) : file_(std::move(file)), keys_(keys) {}

Place Place::at(const std::string& key) const {
  Place member = *this;
  member.path_ = path_.empty() ? key : fmt::format("{}.{}", path_, key);
  return member;
}

Place Place::at(std::size_t i) const {
  Place element = *this;
  element.path_ = fmt::format("{}[{}]", path_, i);
  return element;
}

void Place::refuse(const std::string& what) const {
  throw FileError(fmt::format("{}: {}: {}", file_, path_.empty() ? "top" : path_, what));
}

void Place::expect(bool holds, const json& value, const std::string& wanted) const {
  if (holds) return;
  std::string shown = dump(value);
  if (shown.size() > 40) shown = fmt::format("{} of {} members", value.type_name(), value.size());
  refuse(fmt::format("is {}; {} would fit", shown, wanted));
}

const json& member_of(const json& object, const std::string& key, const Place& place) {
  const auto found = object.find(key);
  if (found == object.end())
    place.at(key).refuse("is missing; add it, or take the file as it was written");
  return *found;
}

void expect_no_other(const json& object, const std::set<std::string>& known, const Place& place) {
  if (!place.strict()) return;
  for (const auto& [key, value] : object.items())
    if (known.count(key) == 0)
      place.at(std::string(key.substr(0, 40)))
          .refuse(fmt::format("is not known; there are {}: remove it, or use the ulpfuzz that the "
                              "file is for",
                              fmt::to_string(fmt::join(known, ", "))));
}

void expect_kind(const json& all, const Place& top, std::string_view kind,
                 std::string_view otherwise) {
  top.expect(all.is_object(), all, "an object");
  if (const auto found = all.find("kind"); found == all.end() || *found != kind)
    top.at("kind").refuse(fmt::format("is not \"{}\": {}", kind, otherwise));
}

void expect_schema(const json& all, const Place& top, int schema) {
  top.expect(all.is_object(), all, "an object");
  const json& found = member_of(all, "schema", top);
  top.at("schema").expect(found.is_number_integer(), found, "a whole number");
  if (found != schema)
    top.at("schema").refuse(
        fmt::format("{} is not {}, which this ulpfuzz reads; use the ulpfuzz that the file is for",
                    found.dump(), schema));
}

}  // namespace ulpfuzz
