#include "json_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "file_error.hpp"
#include "ulpfuzz/network/doubled_key.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = start == before.npos ? before.size() + 1 : before.size() - start;
  return fmt::format("line {}, column {}", line, column);
}

// Before the parser runs: its own nesting is not on the stack, but what it builds should be no
// deeper than a case ever is.
void check_depth(std::string_view text, const std::string& name) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > limits::json_depth)
        refuse(name, line_and_column(text, i), fmt::format("nested {} deep", depth),
               "a case needs fewer levels");
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
}

}  // namespace

json parse_json(std::string_view text, const std::string& name) {
  check_depth(text, name);
  try {
    json document = json::parse(text);
    if (const auto place = doubled_key(text))
      refuse(name, *place, "given twice in one object", "keep one of them");
    return document;
  } catch (const json::parse_error& error) {
    const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    refuse(name, line_and_column(text, byte), "not JSON here", "mend or restore the file");
  } catch (const json::exception& error) {
    refuse(name, "JSON", error.what(), "mend or restore the file");
  }
}

void JsonView::refuse(std::string_view problem, std::string_view remedy) const {
  ulpfuzz::refuse(*name_, place_.empty() ? "top level" : place_, problem, remedy);
}

void JsonView::pass_on(std::string_view line) const {
  const std::size_t cut = line.rfind("; ");
  refuse(line.substr(0, cut), cut == line.npos ? "mend it" : line.substr(cut + 2));
}

const json::object_t& JsonView::object() const {
  if (!value_->is_object()) refuse("not an object", "write {...}");
  return value_->get_ref<const json::object_t&>();
}

void JsonView::only(std::initializer_list<std::string_view> known) const {
  for (const auto& [key, value] : object()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string remedy = "fields here:";
    for (const std::string_view field : known) remedy.append(" ").append(field);
    refuse(fmt::format("unknown field {:.60}", json(key).dump()), remedy);
  }
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  const auto& fields = object();
  const auto found = fields.find(std::string(key));
  if (found == fields.end()) return std::nullopt;
  std::string place = place_.empty() ? std::string(key) : fmt::format("{}.{}", place_, key);
  return JsonView(found->second, *name_, std::move(place));
}

JsonView JsonView::field(std::string_view key) const {
  const auto found = find(key);
  if (!found) refuse(fmt::format("field \"{}\" is missing", key), "add it");
  return *found;
}

std::size_t JsonView::size() const {
  if (!value_->is_array()) refuse("not a list", "write [...]");
  return value_->size();
}

JsonView JsonView::at(std::size_t index) const {
  return JsonView((*value_)[index], *name_, fmt::format("{}[{}]", place_, index));
}

const std::string& JsonView::text() const {
  if (!value_->is_string()) refuse("not a string", "write \"...\"");
  return value_->get_ref<const std::string&>();
}

std::uint32_t JsonView::number(std::uint32_t max) const {
  if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > max)
    refuse(fmt::format("{} is not a whole number in 0..{}", value_->dump().substr(0, 40), max),
           "write one");
  return static_cast<std::uint32_t>(value_->get<std::uint64_t>());
}

bool JsonView::flag() const {
  if (!value_->is_boolean()) refuse("neither true nor false", "write one");
  return value_->get<bool>();
}

}  // namespace ulpfuzz
