#include "ulpfuzz/network/doubled_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

namespace ulpfuzz {
namespace {

using nlohmann::json;

constexpr std::size_t levels_shown = 16;

/// A parser callback could tell as well, but it makes the parser look through a whole list after
/// each of its objects.
class UniqueKeys : public json::json_sax_t {
 public:
  const std::optional<std::string>& twice() const { return twice_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(json::number_integer_t) override { return value(); }
  bool number_unsigned(json::number_unsigned_t) override { return value(); }
  bool number_float(json::number_float_t, const std::string&) override { return value(); }
  bool string(std::string&) override { return value(); }
  bool binary(json::binary_t&) override { return value(); }
  bool start_array(std::size_t) override { return begin(true); }
  bool end_array() override { return end(); }
  bool start_object(std::size_t) override { return begin(false); }
  bool end_object() override { return end(); }
  bool key(std::string& key) override {
    const auto [at, fresh] = levels_.back().keys.insert(std::move(key));
    levels_.back().key = &*at;
    if (!fresh) twice_ = place();
    return fresh;
  }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

 private:
  struct Level {
    bool list = false;
    std::size_t items = 0;             ///< of a list, that one among them which is being read
    std::set<std::string> keys;        ///< of an object
    const std::string* key = nullptr;  ///< among them
  };

  bool value() {
    if (!levels_.empty()) ++levels_.back().items;
    return true;
  }
  bool begin(bool list) {
    value();
    levels_.emplace_back().list = list;
    return true;
  }
  bool end() {
    levels_.pop_back();
    return true;
  }
  std::string place() const {
    const std::size_t n = levels_.size();
    std::string text = n > levels_shown ? "..." : "";
    for (std::size_t i = n - std::min(n, levels_shown); i < n; ++i)
      if (levels_[i].list)
        text += fmt::format("[{}]", levels_[i].items - 1);
      else
        text += fmt::format("{}{:.60}", text.empty() ? "" : ".", *levels_[i].key);
    return text;
  }

  std::vector<Level> levels_;
  std::optional<std::string> twice_;
};

}  // namespace

std::optional<std::string> doubled_key(std::string_view text) {
  UniqueKeys unique;
  json::sax_parse(text, &unique);
  return unique.twice();
}

}  // namespace ulpfuzz
