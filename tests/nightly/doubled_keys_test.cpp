#include <fmt/format.h>
#include <gmock/gmock.h>

#include "history.hpp"
#include "ledger.hpp"
#include "night_folders.hpp"
#include "state.hpp"
#include "ulpfuzz/nightly/corpus.hpp"

namespace ulpfuzz::nightly {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

/// The first `"key":` after `from` once more, with this value.
std::string doubled(std::string text, const std::string& key, const std::string& value,
                    const std::string& from = "{") {
  const auto at = text.find('"' + key + '"', text.find(from));
  return text.insert(at, fmt::format("\"{}\": {}, ", key, value));
}

/// A file of a night or a corpus that says two things at once is refused by all that read it.
class DoubledKeys : public testing::Test {
 protected:
  template <class Read>
  std::string refusal(const std::string& name, const std::string& text, const Read& read) const {
    const std::filesystem::path file = folder_ / name;
    nights::put(file, text);
    try {
      read(file);
    } catch (const FileError& error) {
      EXPECT_THAT(error.what(), StartsWith(file.string() + ": "));
      return std::string(error.what()).substr(file.string().size() + 2);
    }
    return "accepted";
  }

  const nights::Folder folder_;
};

TEST_F(DoubledKeys, OfTheListOfKnownBucketsAreRefused) {
  const std::string list =
      R"({"schema": 1, "known": [{"bucket": "a", "owner": "Ann", "until": "2026-12-31"}]})";
  const auto read = [](const auto& file) { read_known(file); };
  EXPECT_EQ(refusal("known.json", list, read), "accepted");
  EXPECT_EQ(refusal("known.json", doubled(list, "until", "\"2099-12-31\""), read),
            "known[0].until: is given twice; keep one of them");
  EXPECT_EQ(refusal("known.json", doubled(list, "known", "[]"), read),
            "known: is given twice; keep one of them");
}

TEST_F(DoubledKeys, OfTheLedgerAreRefused) {
  LedgerFile ledger;
  ledger.buckets["x"].nights = 3;
  ledger.buckets["y"].nights = 4;
  const std::string text = to_json(ledger);
  const auto read = [](const auto& file) { read_ledger(file.parent_path()); };
  EXPECT_EQ(refusal("ledger.json", text, read), "accepted");
  EXPECT_THAT(refusal("ledger.json", doubled(text, "nights", "5", "\"y\""), read),
              StartsWith("buckets.y.nights: is given twice"));
  EXPECT_THAT(refusal("ledger.json", doubled(text, "x", "{}"), read),
              StartsWith("buckets.x: is given twice"));
}

TEST_F(DoubledKeys, OfTheStateOfANightAreRefused) {
  State state;
  state.night = nights::night("20261101T020000Z-1");
  write_state(folder_ / "whole.json", state);
  const std::string text = nights::content(folder_ / "whole.json");
  const auto read = [](const auto& file) { read_state(file); };
  EXPECT_EQ(refusal("night.json", text, read), "accepted");
  EXPECT_THAT(refusal("night.json", doubled(text, "seed", "8", "\"night\""), read),
              StartsWith("night.seed: is given twice"));
}

TEST_F(DoubledKeys, OfASummaryAreRefused) {
  report::Night night = nights::night("20261101T020000Z-1");
  night.buckets = {nights::bucket("x"), nights::bucket("y")};
  const std::string text = report::to_json(night);
  const auto read = [](const auto& file) {
    report::night_from_json(nights::content(file), file.string());
  };
  EXPECT_EQ(refusal("summary.json", text, read), "accepted");
  EXPECT_THAT(refusal("summary.json", doubled(text, "count", "0", "\"id\": \"y\""), read),
              StartsWith("buckets[1].count: is given twice"));
}

TEST_F(DoubledKeys, OfALineOfTheHistoryMakeItOneThatCannotBeRead) {
  publish(folder_.path(), nights::night("20261102T020000Z-1"), folder_ / "none");
  const std::string line = nights::content(folder_ / "history.jsonl");
  ASSERT_THAT(read_history(folder_.path()), SizeIs(1));
  nights::put(folder_ / "history.jsonl", doubled(line, "cases", "1"));
  EXPECT_THAT(read_history(folder_.path()), SizeIs(0));
}

}  // namespace
}  // namespace ulpfuzz::nightly
