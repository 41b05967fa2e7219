#include <fmt/format.h>
#include <fnmatch.h>

#include "members.hpp"
#include "ulpfuzz/nightly/corpus.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/member_read.hpp"
#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz::nightly {
namespace {

using nlohmann::json;

constexpr const char* remedy =
    R"(write {"schema": 1, "known": [{"bucket": ID, "owner": NAME, "until": "2026-12-31"}]})";

/// A day that there is, as 2026-12-31.
bool is_day(const std::string& text) {
  if (!has_form(text, "0000-00-00")) return false;
  const int year = std::stoi(text.substr(0, 4));
  const int month = std::stoi(text.substr(5, 2));
  const int day = std::stoi(text.substr(8, 2));
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  constexpr int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month >= 1 && month <= 12 && day >= 1 &&
         day <= days[month - 1] + (month == 2 && leap ? 1 : 0);
}

void refuse_blank(const std::string& value, const Place& place, const char* wanted) {
  if (value.find_first_not_of(" \t\r\n") == value.npos)
    place.refuse(fmt::format("is empty; {} would fit", wanted));
}

KnownBucket known_from(const json& entry, const Place& place) {
  KnownBucket known;
  from_object(entry, known, place, {"comment"});
  if (const auto comment = entry.find("comment"); comment != entry.end())
    from_member(*comment, known.comment, place.at("comment"));
  refuse_blank(known.bucket, place.at("bucket"), "the id of a bucket, or a glob");
  refuse_blank(known.owner, place.at("owner"), "the name of someone who sees to it");
  if (!is_day(known.until))
    place.at("until").refuse(
        fmt::format("'{:.40}' is no day; one such as 2026-12-31 would fit", known.until));
  // All would be quiet, whatever came.
  if (known.bucket.find_first_not_of("*?") == known.bucket.npos)
    place.at("bucket").refuse(
        fmt::format("'{:.40}' matches every bucket; name a part of its id, as in "
                    "my-property-my-subject-*",
                    known.bucket));
  return known;
}

}  // namespace

std::vector<KnownBucket> read_known(const std::filesystem::path& file) {
  const auto text = file_text(file);
  if (!text) return {};
  const json all = parsed_json(*text, file.string(), remedy);
  const Place top(file.string(), Place::Unknown::refused);
  expect_schema(all, top, 1);
  expect_no_other(all, {"schema", "known"}, top);
  const json& list = member_of(all, "known", top);
  const Place place = top.at("known");
  place.expect(list.is_array(), list, "a list");
  std::vector<KnownBucket> known;
  for (std::size_t i = 0; i < list.size(); ++i) {
    known.push_back(known_from(list[i], place.at(i)));
    for (std::size_t k = 0; k < i; ++k)
      if (known[k].bucket == known[i].bucket)
        place.at(i).at("bucket").refuse(fmt::format(
            "'{:.200}' is also that of known[{}]; leave one of them", known[i].bucket, k));
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
