#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "tool_run.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"

/// A thousand damaged case files: whoever is given one reads it or refuses it by its name.
namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::Scratch;
using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr int damaged_files = 1000;

void damage(std::string& bytes, std::mt19937& random) {
  const auto below = [&random](std::size_t n) { return random() % std::max<std::size_t>(1, n); };
  const std::size_t at = below(bytes.size());
  switch (below(5)) {
    case 0:
      bytes.resize(at);
      break;
    case 1:
      bytes[at] = static_cast<char>(random());
      break;
    case 2:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      break;
    case 3:
      bytes.erase(at, below(20));
      break;
    default:
      bytes.insert(at, 1 + below(8), static_cast<char>(random()));
  }
}

/// FOLDER/NNN.case and .case.json by turns.
void write_damaged(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::mt19937 random(7);
  generators::Limits limits;
  limits.kind = generators::Limits::Kind::plain;
  limits.batch = limits.width = 6;
  for (int i = 0; i < damaged_files; ++i) {
    const CaseFile file{generators::case_from_seed(7, static_cast<std::uint64_t>(i % 20), limits),
                        {{"property", "batched_vs_sliced"}}};
    const bool text = i % 2 == 0;
    const auto binary = to_bytes(file);
    std::string bytes = text ? to_text(file) : std::string(binary.begin(), binary.end());
    for (auto n = 1 + random() % 3; n > 0 && !bytes.empty(); --n) damage(bytes, random);
    std::ofstream(folder / fmt::format("{:03}.case{}", i, text ? ".json" : "")) << bytes;
  }
}

class DamagedCases : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch = new Scratch;
    write_damaged(*scratch / "damaged");
  }
  static void TearDownTestSuite() { delete scratch; }
  static std::string folder() { return (*scratch / "damaged").string(); }

  static Scratch* scratch;
};
Scratch* DamagedCases::scratch = nullptr;

TEST_F(DamagedCases, AreReplayedOrRefusedEachByItsName) {
  const auto report = (*scratch / "replay.json").string();
  const Result r =
      run(*scratch, fmt::format("replay {} --subject loops --json {}", folder(), report));
  EXPECT_EQ(r.code, 2);
  const json all = json::parse(content(report));
  ASSERT_EQ(all.at("cases").size(), static_cast<std::size_t>(damaged_files));
  int refused = 0;
  for (const json& c : all.at("cases")) {
    if (!c.contains("error")) {
      for (const json& row : c.at("rows")) EXPECT_NE(row.at("verdict"), "fail") << c.at("file");
      continue;
    }
    ++refused;
    EXPECT_THAT(c.at("error").get<std::string>(), HasSubstr(c.at("file").get<std::string>()));
  }
  EXPECT_GT(refused, damaged_files / 2);
  EXPECT_LT(refused, damaged_files);
}

TEST_F(DamagedCases, AreRefusedByNameBeforeACampaignOfThemBegins) {
  const Result r = run(*scratch, "run --subject loops --case " + folder() + out_option(*scratch));
  EXPECT_EQ(r.code, 2);
  EXPECT_THAT(r.err, HasSubstr(folder() + "/"));
  EXPECT_FALSE(std::filesystem::exists(*scratch / "report" / "summary.json"));
}

TEST_F(DamagedCases, AreNoSeedsOfASearch) {
  const Result r = run(*scratch, "run --subject loops --search climb --cases 60 --seed 1 --seeds " +
                                     folder() + out_option(*scratch));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.err, ContainsRegex("[5-9][0-9][0-9] seeds left out that cannot be read: .*" +
                                   folder() + "/"));
}

TEST_F(DamagedCases, AreShrunkExplainedAndMeasuredByNobody) {
  std::string first;
  for (int i = 0; first.empty(); i += 2) {
    const auto path = *scratch / "damaged" / fmt::format("{:03}.case.json", i);
    try {
      read_case(path);
    } catch (const FileError&) {
      first = path.string();
    }
  }
  for (const char* verb : {"shrink", "repro --lang cpp", "complexity", "explain"}) {
    const Result r = run(*scratch, fmt::format("{} {}", verb, first));
    EXPECT_EQ(r.code, 2) << verb << r.out << r.err;
    EXPECT_THAT(r.err, HasSubstr(first)) << verb;
  }
}

}  // namespace
}  // namespace ulpfuzz
