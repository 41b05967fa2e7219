#include "json_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
using nlohmann::json;

std::optional<std::string> file_text(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (!error && !fs::is_regular_file(status))
    throw FileError(fmt::format("{}: read: is no regular file; name one", file.string()));
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.is_open() || in.bad())
    throw FileError(fmt::format("{}: read: {}; make it readable", file.string(),
                                errno != 0 ? std::strerror(errno) : "cannot be read"));
  return text;
}

json JsonAt::parsed(std::string_view text, const std::string& file, const std::string& remedy) {
  try {
    return json::parse(text);
  } catch (const json::exception& error) {
    std::string what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, ..."
    if (const auto end = what.find("] "); end != what.npos) what.erase(0, end + 2);
    std::replace_if(
        what.begin(), what.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    throw FileError(fmt::format("{}: {}; {}", file, what, remedy));
  }
}

void JsonAt::refuse(const std::string& what, const std::string& remedy) const {
  throw FileError(
      fmt::format("{}: {}: {}; {}", file_, path_.empty() ? "top" : path_, what, remedy));
}

const JsonAt& JsonAt::expect(bool holds, const std::string& wanted) const {
  if (holds) return *this;
  std::string shown = dump(*value_);
  if (shown.size() > 40) shown = fmt::format("{} of {} members", value_->type_name(), size());
  refuse(fmt::format("is {}", shown), fmt::format("{} would fit", wanted));
}

void JsonAt::expect_keys(std::initializer_list<std::string_view> keys, std::size_t needed) const {
  object();
  std::string all;
  for (const std::string_view key : keys) all += fmt::format("{}{}", all.empty() ? "" : ", ", key);
  for (const auto& [key, member] : value_->items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      refuse(fmt::format("has the key '{:.40}'", key), fmt::format("there are {}", all));
  std::size_t i = 0;
  for (const std::string_view key : keys)
    if (i++ < needed && !has(std::string(key))) refuse(fmt::format("has no '{}'", key), "add it");
}

void JsonAt::expect_schema(int schema) const {
  const JsonAt given = at("schema");
  if (given.value() != schema)
    given.refuse(fmt::format("is {:.40}", dump(given.value())),
                 fmt::format("this ulpfuzz reads {}: use the one that the file is for", schema));
}

JsonAt JsonAt::at(const std::string& key) const {
  JsonAt member(value_->at(key), file_);
  member.path_ = path_.empty() ? key : fmt::format("{}.{}", path_, key);
  return member;
}

JsonAt JsonAt::at(std::size_t i) const {
  JsonAt element(value_->at(i), file_);
  element.path_ = fmt::format("{}[{}]", path_, i);
  return element;
}

const JsonAt& JsonAt::list() const { return expect(value_->is_array(), "a list"); }
const JsonAt& JsonAt::object() const { return expect(value_->is_object(), "an object"); }
std::string JsonAt::text() const {
  return expect(value_->is_string(), "a text").value_->get<std::string>();
}
bool JsonAt::flag() const {
  return expect(value_->is_boolean(), "true or false").value_->get<bool>();
}
std::uint64_t JsonAt::count() const {
  return expect(value_->is_number_unsigned(), "a whole number, 0 or more")
      .value_->get<std::uint64_t>();
}
std::vector<std::string> JsonAt::texts() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < list().size(); ++i) all.push_back(at(i).text());
  return all;
}

std::string dump(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace ulpfuzz::nightly
