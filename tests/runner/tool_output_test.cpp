#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

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

TEST(Tool, RefusesNumbersThatDoNotFitAndNamesTheOption) {
  const Scratch scratch;
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"--cases", "0"},     {"--cases", "-5"},    {"--cases", "18446744073709551616"},
      {"--seed", "-1"},     {"--time", "0"},      {"--time", "9e15"},
      {"--time", "1e11h"},  {"--max-width", "0"}, {"--max-depth", "0"},
      {"--jobs", "100000"}, {"--out", "''"},      {"--index", "3"},
      {"--timeout", "-1"}};
  for (const auto& [option, value] : wrong) {
    const Result o = run(scratch, fmt::format("run --subject loops {} {}", option, value));
    EXPECT_EQ(o.code, 2) << option << value;
    EXPECT_THAT(o.err, HasSubstr(option)) << value;
    EXPECT_THAT(o.err, Not(HasSubstr("ulpfuzz run: seed"))) << option << value;
  }
}

TEST(Tool, GoesOnWhenNobodyTakesItsOutput) {
  for (const char* streams :
       {">/dev/null 2>/dev/full", ">/dev/null 2>&-", ">&- 2>&-", ">/dev/full 2>&1"}) {
    const Scratch scratch;
    const std::string command = fmt::format(
        "{} run --plain --subject fault/drops_last_product --property batched_vs_sliced "
        "--cases 60 --seed 2 --jobs 1 --shrink-evaluations 20{}{}",
        tool, out_option(scratch), streams);
    const int status = std::system(command.c_str());
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << streams << status;
    const json j = json::parse(content(scratch / "report/summary.json"));
    EXPECT_EQ(j["cases"], 60) << streams;
    EXPECT_EQ(j["exit_code"], 1) << streams;
    EXPECT_EQ(j["running"], false) << streams;
  }
}

TEST(Tool, OutlivesTheReaderOfItsOutput) {
  const Scratch scratch;
  const std::string command = fmt::format(
      "bash -c '{} run --plain --subject fault/drops_last_product --cases 60 --jobs 1 "
      "--shrink-evaluations 0{}2>&1 | head -n 1 >/dev/null; exit ${{PIPESTATUS[0]}}'",
      tool, out_option(scratch));
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  EXPECT_EQ(json::parse(content(scratch / "report/summary.json"))["cases"], 60);
}

TEST(Tool, WritesTheCopyThroughLinksAndToDevices) {
  const Scratch scratch;
  const std::string command = "run --plain --subject loops --cases 8 --jobs 1 --json ";
  std::ofstream(scratch / "target") << "old";
  std::filesystem::create_symlink("target", scratch / "link");
  const std::string link = (scratch / "link").string();
  EXPECT_EQ(run(scratch, command + link + " --out " + (scratch / "a").string()).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(json::parse(content(scratch / "target"))["cases"], 8);
  std::filesystem::create_symlink("/dev/null", scratch / "null");
  const std::string null = (scratch / "null").string();
  EXPECT_EQ(run(scratch, command + null + " --out " + (scratch / "b").string()).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(null));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const Result o = run(scratch, command + "- --out " + (scratch / "c").string());
  EXPECT_EQ(json::parse(o.out)["cases"], 8);
  EXPECT_THAT(o.err, HasSubstr("verdicts:"));
}

TEST(Tool, ChecksBeforeTheWorkThatItsResultsCanBeWritten) {
  const Scratch scratch;
  const std::string absent = (scratch / "absent/x.json").string();
  const Result o =
      run(scratch, "run --subject loops --time 1h --json " + absent + out_option(scratch));
  EXPECT_EQ(o.code, 4);
  EXPECT_THAT(o.err, HasSubstr(absent));
  EXPECT_FALSE(std::filesystem::exists(scratch / "report"));
}

TEST(Tool, RefusesAFolderThatHoldsAReport) {
  const Scratch scratch;
  std::filesystem::create_directories(scratch / "report");
  std::ofstream(scratch / "report/build.log") << "built";
  const std::string command =
      "run --plain --subject loops --cases 8 --jobs 1" + out_option(scratch);
  EXPECT_EQ(run(scratch, command).code, 0);
  const std::string before = content(scratch / "report/summary.json");
  const Result again = run(scratch, command);
  EXPECT_EQ(again.code, 2);
  EXPECT_THAT(again.err, HasSubstr("report"));
  EXPECT_EQ(content(scratch / "report/summary.json"), before);
}

TEST(Tool, ReplaysTheFilesBesideOneThatCannotBe) {
  const Scratch scratch;
  const CaseFile file{generators::case_from_seed(1, 1), {}};
  const std::filesystem::path good = scratch / "good.case.json";
  write_case(good, file);
  json unknown = json::parse(content(good));
  unknown["notes"]["subject"] = "nonesuch";
  std::ofstream(scratch / "unknown.case.json") << unknown.dump();
  std::ofstream(scratch / "empty.case.json");
  std::ofstream(scratch / "array.case") << "\x93NUMPY etc";
  ASSERT_EQ(mkfifo((scratch / "fifo.case").c_str(), 0600), 0);
  std::string files;
  for (const char* name : {"unknown.case.json", "empty.case.json", "array.case", "fifo.case", "no"})
    files.append(" ").append((scratch / name).string());
  const std::string out = (scratch / "replayed.json").string();
  const Result o = run(scratch, "replay" + files + " " + good.string() +
                                    " --property batched_vs_sliced --json " + out);
  EXPECT_EQ(o.code, 2) << o.out << o.err;
  const json j = json::parse(content(out));
  EXPECT_EQ(j["exit_code"], 2);
  ASSERT_EQ(j["cases"].size(), 6);
  const std::vector<const char*> why{"nonesuch", "is empty", ".npy", "not a regular file",
                                     "does not exist"};
  for (std::size_t i = 0; i < why.size(); ++i)
    EXPECT_THAT(j["cases"][i]["error"].get<std::string>(), HasSubstr(why[i]));
  EXPECT_FALSE(j["cases"][5]["rows"].empty());
}

}  // namespace
}  // namespace ulpfuzz
