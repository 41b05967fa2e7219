#include "member_read.hpp"
#include "night_schema.hpp"

namespace ulpfuzz::report {
namespace {

Json parsed(std::string_view text, const std::string& name) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, ..."
    if (const auto end = what.find("] "); end != what.npos) what.erase(0, end + 2);
    throw FileError(fmt::format(
        "{}: {}; a summary of a night is JSON as `ulpfuzz nightly` writes it", name, what));
  }
}

void expect_schema(const Json& all, const Place& top) {
  top.expect(all.is_object(), all, "an object");
  if (!all.contains("kind") || all["kind"] != night_kind)
    top.at("kind").refuse(
        "is not \"night\": no summary of a night; name the summary.json of `ulpfuzz nightly` or "
        "`ulpfuzz merge`");
  int schema = 0;
  read(member_of(all, "schema", top), schema, top.at("schema"));
  if (schema == night_schema) return;
  top.at("schema").refuse(
      fmt::format("{} is not {}, which this ulpfuzz reads; use the ulpfuzz that wrote it", schema,
                  night_schema));
}

}  // namespace

void Place::refuse(const std::string& what) const {
  throw FileError(fmt::format("{}: {}: {}", *file_, path_.empty() ? "top" : path_, what));
}

void Place::expect(bool holds, const Json& value, const std::string& wanted) const {
  if (holds) return;
  std::string shown = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (shown.size() > 40) shown = fmt::format("{} of {} members", value.type_name(), value.size());
  refuse(fmt::format("{} does not fit; {} would", shown, wanted));
}

const Json& member_of(const Json& object, const std::string& key, const Place& place) {
  const auto found = object.find(key);
  if (found == object.end()) place.at(key).refuse("is missing; take the file as it was written");
  return *found;
}

void expect_no_other(const Json& object, const std::set<std::string>& known, const Place& place) {
  for (const auto& [key, value] : object.items())
    if (known.count(key) == 0)
      place.at(key).refuse("is not known; remove it, or use the ulpfuzz that wrote it");
}

double read_number(const Json& value, const Place& place) {
  place.expect(value.is_number(), value, "a number");
  constexpr double most = std::numeric_limits<double>::max();
  const double number = value.get<double>();
  return std::fabs(number) < most ? number : std::copysign(HUGE_VAL, number);
}

std::string read_text(const Json& value, const Place& place) {
  place.expect(value.is_string(), value, "a text");
  return value.get<std::string>();
}

Night night_from_json(std::string_view text, const std::string& name) {
  const Json all = parsed(text, name);
  const Place top(name);
  expect_schema(all, top);
  Night night;
  read_members(all, night, top, {"schema", "kind", "headline", "states", "cases_per_second"});
  return night;
}

}  // namespace ulpfuzz::report
