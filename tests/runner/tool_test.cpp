#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "tool_run.hpp"

namespace ulpfuzz {
namespace {

using mutants::content;
using mutants::Scratch;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(Tool, ShowsHelpWithAnExampleForEveryVerb) {
  const Scratch scratch;
  EXPECT_EQ(run(scratch, "--help").code, 0);
  for (const char* verb : {"run", "replay", "shrink", "list"}) {
    const Result o = run(scratch, std::string(verb) + " --help");
    EXPECT_EQ(o.code, 0) << verb;
    EXPECT_THAT(o.out, HasSubstr("Example")) << verb;
    EXPECT_THAT(o.out, HasSubstr(std::string("ulpfuzz ") + verb)) << verb;
  }
}

TEST(Tool, ReturnsTwoForWrongUsage) {
  const Scratch scratch;
  EXPECT_EQ(run(scratch, "").code, 2);
  EXPECT_EQ(run(scratch, "dance").code, 2);
  EXPECT_EQ(run(scratch, "run --cases many").code, 2);
  EXPECT_EQ(run(scratch, "run --time soon").code, 2);
  EXPECT_EQ(run(scratch, "replay").code, 2);
  const std::string out = " --cases 1 --out " + (scratch / "out").string();
  EXPECT_EQ(run(scratch, "run --search climb --seeds absent" + out).code, 2);
  EXPECT_EQ(run(scratch, "nightly --fuzzers absent" + out).code, 2);
}

TEST(Tool, NamesTheSubjectsWhenOneIsUnknown) {
  const Scratch scratch;
  const Result o = run(scratch, "run --subject nonesuch --cases 1" + out_option(scratch));
  EXPECT_EQ(o.code, 2);
  EXPECT_THAT(o.err, HasSubstr("nonesuch"));
  EXPECT_THAT(o.err, HasSubstr("loops"));
}

TEST(Tool, NamesTheFileThatCannotBeRead) {
  const Scratch scratch;
  std::ofstream(scratch / "bad.case.json") << "{ \"no\": \"case\" ";
  const std::string file = (scratch / "bad.case.json").string();
  for (const std::string verb : {"replay ", "shrink "}) {
    const Result o = run(scratch, verb + file);
    EXPECT_EQ(o.code, 2) << verb;
    EXPECT_THAT(o.err, HasSubstr("bad.case.json")) << verb;
    EXPECT_EQ(run(scratch, verb + (scratch / "absent.case").string()).code, 2) << verb;
  }
}

TEST(Tool, ListsSubjectsPropertiesOpsAndFaults) {
  const Scratch scratch;
  const Result all = run(scratch, "list");
  EXPECT_EQ(all.code, 0);
  for (const char* word : {"loops", "batched_vs_sliced", "loop_vs_vectorized", "softmax", "fault/"})
    EXPECT_THAT(all.out, HasSubstr(word));
  EXPECT_THAT(run(scratch, "list subjects").out, Not(HasSubstr("fault/")));
}

TEST(Tool, RunsBothPropertiesAndWritesTheCopyOfTheSummary) {
  const Scratch scratch;
  const std::string copy = (scratch / "copy.json").string();
  const Result o = run(scratch, "run --plain --subject loops --cases 60 --seed 1 --jobs 2 --json " +
                                    copy + out_option(scratch));
  EXPECT_EQ(o.code, 0) << o.out << o.err;
  const json j = json::parse(content(copy));
  EXPECT_EQ(j["cases"], 60);
  EXPECT_EQ(j["seed"], 1);
  EXPECT_EQ(j["pairs"].size(), 2);
  EXPECT_EQ(content(copy), content(scratch / "report/summary.json"));
  EXPECT_EQ(o.out, content(scratch / "report/summary.txt"));
}

TEST(Tool, PrintsNoControlCodesIntoAPipe) {
  const Scratch scratch;
  const Result o = run(scratch, "run --subject loops --time 1.2s --jobs 1" + out_option(scratch));
  for (const std::string& text : {o.out, o.err}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\r")));
  }
}

TEST(Tool, LeavesFaultsOutUnlessAsked) {
  const Scratch scratch;
  run(scratch, "run --cases 40 --jobs 1 --property batched_vs_sliced" + out_option(scratch));
  const json j = json::parse(content(scratch / "report/summary.json"));
  for (const auto& pair : j["pairs"])
    EXPECT_THAT(pair["subject"].get<std::string>(), Not(testing::StartsWith("fault/")));
}

TEST(Tool, ReplaysAndShrinksWhatItFound) {
  const Scratch scratch;
  const Result found =
      run(scratch,
          "run --subject fault/drops_last_product --property batched_vs_sliced --plain --cases 60 "
          "--seed 2 --jobs 1 --shrink-evaluations 0" +
              out_option(scratch));
  EXPECT_EQ(found.code, 1) << found.out << found.err;
  const json j = json::parse(content(scratch / "report/summary.json"));
  ASSERT_FALSE(j["buckets"].empty());
  const std::string file = j["buckets"][0]["case"];
  const std::string replayed_json = (scratch / "replayed.json").string();
  const Result replayed = run(scratch, "replay " + file + " --times 2 --json " + replayed_json);
  EXPECT_EQ(replayed.code, 1) << replayed.out << replayed.err;
  const json r = json::parse(content(replayed_json));
  EXPECT_EQ(r["cases"][0]["rows"][0]["class"], j["buckets"][0]["class"]);
  EXPECT_EQ(r["cases"][0]["rows"][0]["cause"], j["buckets"][0]["cause"]);
  const std::string small = (scratch / "small.case.json").string();
  const Result shrunk = run(scratch, "shrink " + file + " --out " + small);
  EXPECT_EQ(shrunk.code, 1) << shrunk.out << shrunk.err;
  EXPECT_EQ(run(scratch, "replay " + small).code, 1);
}

TEST(Tool, KnowsARegressionByItsFolderAndExpectation) {
  const Scratch scratch;
  run(scratch,
      "run --subject fault/drops_last_product --property batched_vs_sliced --plain --cases 60 "
      "--seed 2 --jobs 1 --shrink-evaluations 0" +
          out_option(scratch));
  const json j = json::parse(content(scratch / "report/summary.json"));
  ASSERT_FALSE(j["buckets"].empty());
  json file = json::parse(content(j["buckets"][0]["case"].get<std::string>()));
  file["notes"]["expected"] = "pass";
  std::filesystem::create_directories(scratch / "regressions");
  for (const char* folder : {"regressions", "elsewhere"}) {
    std::filesystem::create_directories(scratch / folder);
    std::ofstream(scratch / folder / "a.case.json") << file.dump();
  }
  EXPECT_EQ(run(scratch, "replay " + (scratch / "regressions").string()).code, 3);
  EXPECT_EQ(run(scratch, "replay " + (scratch / "elsewhere").string()).code, 1);
  EXPECT_EQ(run(scratch, "replay --subject loops " + (scratch / "regressions").string()).code, 0);
}

/// The tool on its own, to be sent signals.
pid_t start(const std::vector<std::string>& arguments) {
  std::vector<const char*> words{tool.c_str()};
  for (const std::string& a : arguments) words.push_back(a.c_str());
  words.push_back(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int null = open("/dev/null", O_WRONLY);
  dup2(null, 1);
  dup2(null, 2);
  execv(tool.c_str(), const_cast<char* const*>(words.data()));
  _exit(127);
}

int wait_for(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(Tool, KeepsTheSummaryWhenInterrupted) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const Scratch scratch;
    const pid_t pid = start({"run", "--plain", "--subject", "loops", "--time", "60", "--jobs", "2",
                             "--out", (scratch / "report").string()});
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    kill(pid, number);
    EXPECT_EQ(wait_for(pid), 0);
    const json j = json::parse(content(scratch / "report/summary.json"));
    EXPECT_EQ(j["interrupted"], true);
    EXPECT_GT(j["cases"], 0);
    EXPECT_LT(j["seconds"], 30);
    EXPECT_TRUE(std::filesystem::exists(scratch / "report/summary.txt"));
  }
}

TEST(Tool, GoesOnWithoutAWorkerThatIsKilled) {
  const Scratch scratch;
  const pid_t pid = start({"run", "--plain", "--subject", "loops", "--time", "3", "--jobs", "2",
                           "--out", (scratch / "report").string()});
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  std::istringstream children(content(fmt::format("/proc/{0}/task/{0}/children", pid)));
  pid_t worker = 0;
  children >> worker;
  ASSERT_GT(worker, 0);
  kill(worker, SIGKILL);
  // Flaky if it was in a subject, infrastructure if it was not; never a new failure.
  EXPECT_THAT(wait_for(pid), testing::AnyOf(6, 4));
  const json j = json::parse(content(scratch / "report/summary.json"));
  EXPECT_EQ(j["interrupted"], false);
  EXPECT_GT(j["seconds"], 2.5);
  EXPECT_GT(j["cases"], 0);
}

TEST(Tool, ReportsADiskThatIsFull) {
  const Scratch scratch;
  // Files may not grow beyond one block: no summary fits.
  const Result o =
      run(scratch, "run --subject loops --cases 20 --jobs 1" + out_option(scratch), "ulimit -f 1;");
  EXPECT_EQ(o.code, 4) << o.out << o.err;
  EXPECT_THAT(o.err, HasSubstr("summary"));
}

TEST(Tool, ReportsAFolderThatCannotBeMade) {
  const Scratch scratch;
  std::ofstream(scratch / "file") << "in the way";
  const Result o =
      run(scratch, "run --subject loops --cases 5 --out " + (scratch / "file/x").string());
  EXPECT_EQ(o.code, 4);
  EXPECT_THAT(o.err, HasSubstr("file/x"));
}

}  // namespace
}  // namespace ulpfuzz
