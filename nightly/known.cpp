#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>

#include "json_file.hpp"
#include "ulpfuzz/nightly/corpus.hpp"

namespace ulpfuzz::nightly {
namespace {

constexpr const char* remedy =
    R"(write {"schema": 1, "known": [{"bucket": ID, "owner": NAME, "until": "2026-12-31"}]})";

/// A day that there is, as 2026-12-31.
bool is_day(const std::string& text) {
  constexpr std::string_view form = "0000-00-00";
  if (text.size() != form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == '0' ? std::isdigit(static_cast<unsigned char>(text[i])) == 0 : text[i] != '-')
      return false;
  const int year = std::stoi(text.substr(0, 4));
  const int month = std::stoi(text.substr(5, 2));
  const int day = std::stoi(text.substr(8, 2));
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month >= 1 && month <= 12 && day >= 1 &&
         day <= days[month - 1] + (month == 2 && leap ? 1 : 0);
}

std::string filled(const JsonAt& text, const std::string& wanted) {
  std::string value = text.text();
  if (value.find_first_not_of(" \t\r\n") == value.npos)
    text.refuse("is empty", wanted + " would fit");
  return value;
}

KnownBucket known_from(const JsonAt& entry) {
  entry.expect_keys({"bucket", "owner", "until", "comment"}, 3);
  KnownBucket known{filled(entry.at("bucket"), "the id of a bucket, or a glob"),
                    filled(entry.at("owner"), "the name of someone who sees to it"),
                    entry.at("until").text(),
                    entry.has("comment") ? entry.at("comment").text() : std::string()};
  if (!is_day(known.until))
    entry.at("until").refuse(fmt::format("'{:.40}' is no day", known.until),
                             "one such as 2026-12-31 would fit");
  // All would be quiet, whatever came.
  if (known.bucket.find_first_not_of("*?") == known.bucket.npos)
    entry.at("bucket").refuse(fmt::format("'{:.40}' matches every bucket", known.bucket),
                              "name a part of its id, as in my-property-my-subject-*");
  return known;
}

}  // namespace

std::vector<KnownBucket> read_known(const std::filesystem::path& file) {
  const auto text = file_text(file);
  if (!text) return {};
  const nlohmann::json all = JsonAt::parsed(*text, file.string(), remedy);
  const JsonAt top(all, file.string());
  top.expect_keys({"schema", "known"}, 2);
  top.expect_schema(1);
  const JsonAt list = top.at("known");
  std::vector<KnownBucket> known;
  for (std::size_t i = 0; i < list.list().size(); ++i) {
    known.push_back(known_from(list.at(i)));
    for (std::size_t k = 0; k < i; ++k)
      if (known[k].bucket == known[i].bucket)
        list.at(i).at("bucket").refuse(
            fmt::format("'{:.200}' is also that of known[{}]", known[i].bucket, k),
            "leave one of them");
  }
  return known;
}

const KnownBucket* find_known(const std::vector<KnownBucket>& known, const std::string& bucket,
                              const std::string& day) {
  const auto find = [&](const auto& names) -> const KnownBucket* {
    for (const KnownBucket& k : known)
      if (day <= k.until && names(k.bucket)) return &k;
    return nullptr;
  };
  const KnownBucket* named = find([&](const std::string& id) { return id == bucket; });
  if (named != nullptr) return named;
  return find(
      [&](const std::string& glob) { return fnmatch(glob.c_str(), bucket.c_str(), 0) == 0; });
}

}  // namespace ulpfuzz::nightly
