#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tool_run.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::Scratch;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// A case of the seed that `subject` fails.
std::string failing_file(const Scratch& scratch, const std::string& subject,
                         const std::string& more = "--plain") {
  const Result o = run(scratch, "run --property batched_vs_sliced --cases 300 --seed 2 --jobs 1 " +
                                    std::string("--shrink-evaluations 0 --fail-fast --subject ") +
                                    subject + " " + more + out_option(scratch));
  EXPECT_EQ(o.code, 1) << o.out << o.err;
  const json j = json::parse(content(scratch / "report/summary.json"));
  const std::string file = (scratch / "x.case.json").string();
  std::filesystem::copy_file(j["buckets"][0]["case"].get<std::string>(), file);
  return file;
}

json machine(const Scratch& scratch) { return json::parse(content(scratch / "m.json")); }

std::string json_option(const Scratch& scratch) {
  return " --json " + (scratch / "m.json").string() + " ";
}

TEST(ShrinkTool, ShowsBeforeAndMinimalWithPassesAndWritesTheResult) {
  const Scratch scratch;
  const std::string file = failing_file(scratch, "fault/tf32_above_8");
  const Result o = run(scratch, "shrink --verbose " + file + json_option(scratch));
  EXPECT_EQ(o.code, 1) << o.err;
  for (const char* word : {"before: ", "minimal: ", "evaluations", "truncate suffix", "fails alike",
                           "x.min.case.json"})
    EXPECT_THAT(o.out, HasSubstr(word));
  const CaseFile minimal = read_case(scratch / "x.min.case.json");
  EXPECT_EQ(minimal.value.batch(), 9u);
  EXPECT_EQ(minimal.notes.at("subject"), "fault/tf32_above_8");
  const json j = machine(scratch);
  EXPECT_EQ(j["format"], "ulpfuzz-shrink");
  EXPECT_EQ(j["minimal"]["hash"], content_hash(minimal.value));
  EXPECT_EQ(j["minimal"]["complexity"], json(generators::complexity(minimal.value)));
  EXPECT_EQ(j["stop"], "nothing simpler fails alike");
  EXPECT_EQ(j["exit_code"], 1);
  EXPECT_EQ(j["journal"], "");
  EXPECT_FALSE(std::filesystem::exists(scratch / "x.min.shrink-journal"));
  std::uint64_t accepted = 0;
  for (const auto& pass : j["passes"]) accepted += pass["accepted"].get<std::uint64_t>();
  EXPECT_LE(accepted, j["accepted"].get<std::uint64_t>());
  EXPECT_GT(accepted, 0u);
}

TEST(ShrinkTool, SaysForMachinesTooThatACasePasses) {
  const Scratch scratch;
  const std::string file = failing_file(scratch, "fault/tf32_above_8");
  const Result o = run(scratch, "shrink --subject loops " + file + json_option(scratch));
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("nothing to shrink"));
  const json j = machine(scratch);
  EXPECT_EQ(j["stop"], "the case does not fail");
  EXPECT_TRUE(j["minimal"].is_null());
  EXPECT_EQ(j["exit_code"], 0);
  EXPECT_FALSE(std::filesystem::exists(scratch / "x.min.case.json"));
}

TEST(ShrinkTool, NamesTheBoundaryAndNotesIt) {
  const Scratch scratch;
  const std::string file = failing_file(scratch, "fault/tf32_above_8");
  const Result o = run(scratch, "shrink " + file + json_option(scratch));
  const json j = machine(scratch);
  ASSERT_FALSE(j["boundaries"].empty()) << o.out;
  bool batch = false;
  for (const auto& b : j["boundaries"]) batch = batch || (b["fails"] == "9" && b["passes"] == "8");
  EXPECT_TRUE(batch) << j["boundaries"];
  const std::string noted = read_case(scratch / "x.min.case.json").notes.at("boundary");
  for (const auto& b : j["boundaries"]) {
    EXPECT_THAT(noted, HasSubstr(b["text"].get<std::string>()));
    EXPECT_THAT(o.out, HasSubstr(b["text"].get<std::string>()));
  }
  EXPECT_FALSE(j["components"].empty());
  const Result terse = run(scratch, "shrink --no-explain " + file + json_option(scratch));
  EXPECT_EQ(terse.code, 1);
  EXPECT_TRUE(machine(scratch)["boundaries"].empty());
  EXPECT_EQ(read_case(scratch / "x.min.case.json").notes.count("boundary"), 0u);
}

TEST(ShrinkTool, VerifiesWhatItMadeAndRefutesWhatIsNotMinimal) {
  const Scratch scratch;
  const std::string file = failing_file(scratch, "fault/neighbour_row");
  ASSERT_EQ(run(scratch, "shrink --no-explain " + file).code, 1);
  const Result minimal = run(scratch, "shrink --verify " + (scratch / "x.min.case.json").string());
  EXPECT_EQ(minimal.code, 0) << minimal.out << minimal.err;
  EXPECT_THAT(minimal.out, HasSubstr("minimal"));
  const Result large = run(scratch, "shrink --verify " + file);
  EXPECT_EQ(large.code, 1) << large.out;
  EXPECT_THAT(large.out, HasSubstr("not minimal"));
  const Result sound = run(scratch, "shrink --verify --subject loops " + file);
  EXPECT_EQ(sound.code, 5) << sound.out;
}

TEST(ShrinkTool, WritesTheSevereCaseAndTheLadder) {
  const Scratch scratch;
  const std::string file = failing_file(scratch, "fault/tf32_above_8");
  const std::string rungs = (scratch / "rungs").string();
  const Result o =
      run(scratch, "shrink --no-explain --ladder " + rungs + " " + file + json_option(scratch));
  ASSERT_EQ(o.code, 1) << o.err;
  const json j = machine(scratch);
  ASSERT_FALSE(j["ladder"].empty());
  for (const auto& rung : j["ladder"]) {
    const double share = rung["share"];
    EXPECT_GE(share, std::ldexp(1.0, rung["octave"].get<int>()));
    EXPECT_LT(share, std::ldexp(2.0, rung["octave"].get<int>()));
    EXPECT_EQ(run(scratch, "replay " + rung["file"].get<std::string>()).code, 1);
  }
  const bool severe = std::filesystem::exists(scratch / "x.severe.case.json");
  EXPECT_EQ(severe, !j["severe"].is_null());
  if (severe) {
    EXPECT_GE(j["severe"]["share"], j["before"]["share"].get<double>() / 2);
  }
  run(scratch, "shrink --no-explain --no-severe " + file + json_option(scratch));
  EXPECT_TRUE(machine(scratch)["severe"].is_null());
}

TEST(ShrinkTool, TakesWhatALibFuzzerTargetWasGiven) {
  const Scratch scratch;
  const std::string file = (scratch / "crash-1").string();
  generators::Limits limits;
  bool failed = false;
  for (int i = 0; i < 200 && !failed; ++i) {
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        << fmt::format("{}bytes{}", std::string(40, static_cast<char>(i)), i);
    const Result o = run(scratch,
                         "shrink --no-explain --fuzzer-input --property batched_vs_sliced "
                         "--subject fault/neighbour_row " +
                             file + json_option(scratch));
    ASSERT_TRUE(o.code == 0 || o.code == 1) << o.err;
    failed = o.code == 1;
  }
  ASSERT_TRUE(failed);
  const auto text = content(file);
  const Case c = generators::case_from_fuzzer(
      {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, limits);
  EXPECT_EQ(machine(scratch)["before"]["hash"], content_hash(c));
  EXPECT_TRUE(std::filesystem::exists(scratch / "crash-1.min.case.json"));
  EXPECT_EQ(run(scratch, "shrink --fuzzer-input " + file).code, 2) << "of what property?";
}

TEST(ShrinkTool, RefusesAConfirmationThatMeansNothing) {
  const Scratch scratch;
  const std::string file = failing_file(scratch, "fault/neighbour_row");
  for (const char* bad : {"3", "0/5", "6/5", "a/b", "1/0"}) {
    const Result o = run(scratch, std::string("shrink --confirm ") + bad + " " + file);
    EXPECT_EQ(o.code, 2) << bad;
    EXPECT_THAT(o.err, HasSubstr("--confirm")) << bad;
  }
  EXPECT_EQ(run(scratch, "shrink --no-explain --confirm 2/3 " + file + json_option(scratch)).code,
            1);
  EXPECT_EQ(machine(scratch)["confirm"], json({2, 3}));
}

TEST(ShrinkTool, ConfirmsWhatDoesNotRepeatWithoutBeingAsked) {
  const Scratch scratch;
  const std::string file = failing_file(scratch, "simt/atomics", "--bitwise");
  run(scratch, "shrink --no-explain --shrink-evaluations 40 " + file + json_option(scratch));
  EXPECT_EQ(machine(scratch)["confirm"], json({3, 5}));
}

TEST(ShrinkTool, WritesAResultToADeviceWithoutFilesBesideIt) {
  const Scratch scratch;
  const std::string file = failing_file(scratch, "fault/neighbour_row");
  EXPECT_EQ(run(scratch, "shrink --out /dev/null " + file).code, 1);
  EXPECT_FALSE(std::filesystem::exists("/dev/null.shrink-journal"));
}

TEST(ShrinkTool, OverwritesNeitherTheCaseNorItsOwnResult) {
  const Scratch scratch;
  const std::string file = failing_file(scratch, "fault/neighbour_row");
  const std::string before = content(file);
  const std::string plain = (scratch / "plain").string();
  std::ofstream(plain) << "x";
  const std::pair<std::string, const char*> refused[] = {
      {" --out " + file, "--out"},
      {" --out -", "--out"},
      {" --out " + plain + " --json " + plain, "--json"},
      {" --ladder " + plain, "--ladder"},
      {" --verify --json -", "--verify"}};
  for (const auto& [options, word] : refused) {
    const Result o = run(scratch, "shrink " + file + options);
    EXPECT_EQ(o.code, 2) << options;
    EXPECT_THAT(o.err, HasSubstr(word)) << options;
  }
  EXPECT_EQ(content(file), before);
  EXPECT_EQ(content(plain), "x");
}

TEST(Complexity, IsATableWithNamesAndTheSimplestCase) {
  const Scratch scratch;
  const std::string file = failing_file(scratch, "fault/neighbour_row");
  ASSERT_EQ(run(scratch, "shrink --no-explain " + file).code, 1);
  const std::string small = (scratch / "x.min.case.json").string();
  const Result o = run(scratch, "complexity " + file + " " + small + json_option(scratch));
  EXPECT_EQ(o.code, 0) << o.err;
  for (const std::string_view name : generators::complexity_names())
    EXPECT_THAT(o.out, HasSubstr(std::string(name)));
  EXPECT_THAT(o.out, HasSubstr("simplest, by the first line that differs: " + small));
  const json j = machine(scratch);
  ASSERT_EQ(j["cases"].size(), 2u);
  EXPECT_EQ(j["cases"][0]["complexity"], json(generators::complexity(read_case(file).value)));
  EXPECT_EQ(j["names"].size(), j["cases"][1]["complexity"].size());
  EXPECT_THAT(run(scratch, "complexity " + small + " " + small).out, HasSubstr("equally simple"));
  const Result bad = run(scratch, "complexity absent.case.json " + small);
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("absent.case.json"));
  EXPECT_THAT(bad.out, HasSubstr(small));
}

}  // namespace
}  // namespace ulpfuzz
