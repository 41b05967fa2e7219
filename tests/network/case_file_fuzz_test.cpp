#include <gtest/gtest.h>
#include <xxhash.h>

#include <nlohmann/json.hpp>

#include "random_case.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;
using random_cases::below;
using random_cases::Random;

struct Tally {
  int read = 0;
  int refused = 0;
};

template <class Read>
void expect_case_or_error(Read read, Tally& tally) {
  try {
    const CaseFile file = read();
    validate(file.value);
    ++tally.read;
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    ++tally.refused;
  }
}

template <class Bytes>
void damage(Bytes& bytes, Random& random) {
  using Byte = typename Bytes::value_type;
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const auto at = bytes.begin() + below(random, size);
  switch (below(random, 5)) {
    case 0:
      bytes.resize(below(random, size));
      break;
    case 1:
      *at = static_cast<Byte>(random());
      break;
    case 2:
      *at = static_cast<Byte>(*at ^ (1 << below(random, 8)));
      break;
    case 3:
      bytes.erase(at, at + std::min<std::ptrdiff_t>(bytes.end() - at, below(random, 20)));
      break;
    default:
      bytes.insert(at, 1 + below(random, 8), static_cast<Byte>(random()));
  }
}

TEST(DamagedText, IsReadOrRefused) {
  Random random(21);
  Tally tally;
  for (int i = 0; i < 2'000; ++i) {
    std::string text = to_text(random_cases::any_case_file(random));
    for (std::uint32_t n = 1 + below(random, 3); n > 0 && !text.empty(); --n) damage(text, random);
    expect_case_or_error([&] { return case_from_text(text, "x", "nowhere"); }, tally);
  }
  EXPECT_GT(tally.read, 20);
  EXPECT_GT(tally.refused, 1'000);
}

TEST(DamagedBytes, AreRefused) {
  Random random(22);
  for (int i = 0; i < 2'000; ++i) {
    const auto intact = to_bytes(random_cases::any_case_file(random));
    auto bytes = intact;
    for (std::uint32_t n = 1 + below(random, 3); n > 0 && !bytes.empty(); --n)
      damage(bytes, random);
    if (bytes == intact) continue;
    EXPECT_THROW(case_from_bytes(bytes, "x"), FileError);
  }
}

// The checksum hides what lies below it from damage at random: make it fit again.
TEST(DamagedBytes, AreReadOrRefusedBelowAFittingChecksum) {
  Random random(23);
  Tally tally;
  for (int i = 0; i < 4'000; ++i) {
    auto bytes = to_bytes(random_cases::any_case_file(random));
    bytes.resize(bytes.size() - 8);
    for (std::uint32_t n = 1 + below(random, 3); n > 0 && !bytes.empty(); --n)
      damage(bytes, random);
    std::uint64_t checksum = XXH64(bytes.data(), bytes.size(), 0);
    for (int k = 0; k < 8; ++k, checksum >>= 8)
      bytes.push_back(static_cast<std::uint8_t>(checksum));
    Tally one;
    expect_case_or_error([&] { return case_from_bytes(bytes, "x"); }, one);
    if (one.read > 0) {
      EXPECT_EQ(to_bytes(case_from_bytes(bytes, "x")), bytes) << "two spellings of one case";
    }
    tally.read += one.read;
    tally.refused += one.refused;
  }
  EXPECT_GT(tally.read, 100);
  EXPECT_GT(tally.refused, 1'000);
}

TEST(BinaryCase, RefusesCountsThatTheBytesCannotHold) {
  Random random(24);
  const auto intact = to_bytes(random_cases::any_case_file(random));
  for (std::size_t at = 12; at + 12 < intact.size(); ++at) {
    auto bytes = intact;
    for (std::size_t k = 0; k < 4; ++k) bytes[at + k] = 0xff;
    std::uint64_t checksum = XXH64(bytes.data(), bytes.size() - 8, 0);
    for (std::size_t k = 8; k > 0; --k, checksum >>= 8)
      bytes[bytes.size() - k] = static_cast<std::uint8_t>(checksum);
    Tally tally;
    expect_case_or_error([&] { return case_from_bytes(bytes, "x"); }, tally);
  }
}

TEST(BinaryCase, SaysWhatIsWrongAndWhere) {
  Random random(25);
  const auto intact = to_bytes(random_cases::any_case_file(random));
  const auto error = [](std::vector<std::uint8_t> bytes) -> std::string {
    try {
      case_from_bytes(bytes, "x.case");
    } catch (const FileError& e) {
      return e.what();
    }
    return "no error";
  };
  auto newer = intact;
  newer[8] = 2;
  EXPECT_EQ(error(newer),
            "x.case: byte 8: version 2 is newer than 1, the newest this program knows;"
            " use a newer ulpfuzz");
  auto flipped = intact;
  flipped[20] ^= 1;
  EXPECT_EQ(error(flipped), "x.case: byte " + std::to_string(intact.size() - 8) +
                                ": the checksum does not fit the content; restore the file");
  EXPECT_NE(error({}).find("byte 0: not a binary case"), std::string::npos);
  EXPECT_NE(error({intact.begin(), intact.begin() + 15}).find("cut off"), std::string::npos);
}

// A value somewhere in the document, chosen by a walk from the top.
json& somewhere(json& document, Random& random) {
  json* at = &document;
  while (at->is_structured() && !at->empty() && below(random, 5) != 0) {
    auto next = at->begin();
    std::advance(next, below(random, static_cast<std::uint32_t>(at->size())));
    at = &*next;
  }
  return *at;
}

void change_structure(json& document, Random& random) {
  json& value = somewhere(document, random);
  const json replacements[] = {nullptr,
                               true,
                               -1,
                               0,
                               1,
                               7,
                               4294967295u,
                               1e300,
                               "",
                               "0-9",
                               "x",
                               json::array(),
                               json::object(),
                               {0, 1},
                               "1 2",
                               somewhere(document, random)};
  if (value.is_structured() && !value.empty() && below(random, 2)) {
    auto at = value.begin();
    std::advance(at, below(random, static_cast<std::uint32_t>(value.size())));
    value.erase(at);
  } else {
    value = json(replacements[below(random, std::size(replacements))]);
  }
}

TEST(ChangedStructure, IsReadOrRefused) {
  Random random(26);
  Tally tally;
  for (int i = 0; i < 4'000; ++i) {
    json document = json::parse(to_text(random_cases::any_case_file(random)));
    for (std::uint32_t n = 1 + below(random, 2); n > 0; --n) change_structure(document, random);
    const std::string text = document.dump();
    expect_case_or_error([&] { return case_from_text(text, "x", "nowhere"); }, tally);
  }
  EXPECT_GT(tally.read, 50);
  EXPECT_GT(tally.refused, 1'000);
}

}  // namespace
}  // namespace ulpfuzz
