#include <gmock/gmock.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "explain_files.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string small_probe = "probe loops --inner 8 --largest-batch 4 ";

class ToolAnswers : public ::testing::Test {
 protected:
  ToolAnswers() {
    write_case(f / "one.case.json", {generators::case_from_seed(1, 1), {{"subject", "loops"}}});
    explain = "explain --network " + f / "network.json" + " --input " + f / "x.npy " +
              f.pair("y.npy", "y.npy") + " ";
  }
  /// In a shell, with stdout as `to` says; stderr is kept.
  Result into(const std::string& arguments, const std::string& to) {
    const std::string command = fmt::format("{} {} {} 2>{}", tool, arguments, to, f / "err");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, "", mutants::content(f / "err")};
  }
  Files f;
  std::string explain;
};

TEST_F(ToolAnswers, EndWithFourWhereStdoutTakesNothing) {
  for (const std::string& verb :
       {explain, explain + "--json - ", explain + "--json /dev/stdout ", small_probe,
        small_probe + "--json - ", "replay " + f / "one.case.json", std::string("list"),
        std::string("--help"), std::string("explain --help"), std::string("--version"),
        "run --plain --subject loops --cases 2 --jobs 1 --json - --out " + f / "report"})
    for (const char* to : {">/dev/full", ">&-"}) {
      const Result r = into(verb, to);
      EXPECT_EQ(r.code, 4) << verb << to;
      EXPECT_THAT(r.err, HasSubstr("ulpfuzz: stdout: cannot be written: ")) << verb << to;
      std::filesystem::remove_all(f / "report");
    }
  EXPECT_EQ(into(explain, ">/dev/null").code, 0);
}

TEST_F(ToolAnswers, LeaveTheExitCodeAloneWhereAReaderHadEnough) {
  const std::string command = fmt::format(
      "bash -c '{} list 2>{} | head -n 1 >/dev/null; exit ${{PIPESTATUS[0]}}'", tool, f / "err");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(mutants::content(f / "err"), "");
}

TEST_F(ToolAnswers, EndWithFourWhereJsonCannotBeWritten) {
  for (const std::string& verb : {explain, small_probe, "replay " + f / "one.case.json "})
    for (const char* file : {"/dev/full", "/nowhere/x.json"}) {
      const Result r = run(f.scratch(), verb + "--json " + file);
      EXPECT_EQ(r.code, 4) << verb << file;
      EXPECT_THAT(r.err, AllOf(StartsWith(std::string("ulpfuzz: ") + file), HasSubstr("; ")));
    }
}

TEST_F(ToolAnswers, ToJsonOverwriteNoInput) {
  std::filesystem::create_symlink(f / "network.json", f / "link.json");
  const std::string before = mutants::content(f / "network.json");
  for (const char* file : {"network.json", "link.json", "x.npy", "y.npy", "w.npy", "new.npy"}) {
    const Result r = run(f.scratch(), explain + "--json " + f / file);
    EXPECT_EQ(r.code, 2) << file;
    EXPECT_THAT(r.err,
                AllOf(StartsWith("ulpfuzz: --json: "), HasSubstr(file), HasSubstr("; name")));
  }
  EXPECT_EQ(mutants::content(f / "network.json"), before);
  EXPECT_FALSE(std::filesystem::exists(f / "new.npy"));
  const std::string one = f / "one.case.json", text = mutants::content(one);
  EXPECT_EQ(run(f.scratch(), "replay " + one + " --json " + one).code, 2);
  EXPECT_EQ(mutants::content(one), text);
}

TEST_F(ToolAnswers, NameTheHelpInOneLineWhereACommandLineIsWrong) {
  const std::vector<std::array<std::string, 3>> wrong{
      {"explain --bogus", "not understood: --bogus", "explain "},
      {"explain --json a --json b", "--json: given more than once", "explain "},
      {"explain --rows", "--rows: given without its value", "explain "},
      {"--bogus", "no verb", ""},
      {"probe", "subject is required", "probe "},
      {"probe loops --largest-batch 0",
       "--largest-batch: '0' does not fit; write a whole number from 1 to 4096", "probe "},
      {"run --time 0", "--time: '0' must be positive", "run "},
      {"list nonsense", "nonsense", "list "},
      {"nonsense", "'nonsense' is no verb", ""},
      {"", "no verb", ""}};
  for (const auto& [arguments, problem, verb] : wrong) {
    const Result r = run(f.scratch(), arguments);
    EXPECT_EQ(r.code, 2) << arguments;
    EXPECT_EQ(r.out, "") << arguments;
    EXPECT_THAT(r.err, AllOf(StartsWith("ulpfuzz: "), HasSubstr(problem),
                             EndsWith("; run 'ulpfuzz " + verb + "--help'\n")));
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
}

TEST_F(ToolAnswers, DecideNothingWhereAProbeIsInterrupted) {
  const std::string call =
      "probe fault/hangs_above_batch --inner 8 --timeout 1h --json " + f / "p.json";
  const Result r = run(f.scratch(), call, "timeout --preserve-status --signal INT 1");
  EXPECT_EQ(r.code, 5) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("not decided: interrupted"), Not(HasSubstr("claims hold"))));
  const json j = json::parse(mutants::content(f / "p.json"));
  EXPECT_TRUE(j["claims_hold"].is_null());
  EXPECT_EQ(j["interrupted"], true);
}

TEST_F(ToolAnswers, ShowNoSizesOfWhatHasNone) {
  std::vector<float> y = f.y();
  y[3] = NAN;
  f.save("nan.npy", {4, 2}, y);
  for (const auto& pair : {f.pair("y.npy", "nan.npy"), f.pair("nan.npy", "y.npy")}) {
    const Result r = f.explain(pair);
    EXPECT_EQ(r.code, 1);
    EXPECT_THAT(r.out, HasSubstr("1 of 8 elements; some against NaN or infinity"));
    EXPECT_THAT(r.out, AllOf(Not(HasSubstr("nan,")), Not(HasSubstr("-nan")),
                             Not(HasSubstr(" inf,")), Not(HasSubstr("ulps"))));
  }
  y[3] = -f.y()[3];
  f.save("turned.npy", {4, 2}, y);
  const json j = json::parse(f.explain(f.pair("y.npy", "turned.npy") + " --json -").out);
  EXPECT_TRUE(j["worst"]["ulps"].is_null()) << j["worst"];
}

TEST_F(ToolAnswers, ShowNoTableOfNoLayers) {
  f.text("tanh.json", R"({"ulpfuzz_network": 1, "layers": ["tanh"], "input": [1, 2]})");
  std::vector<float> a, b;
  for (const float y : f.y()) {
    a.push_back(static_cast<float>(std::tanh(static_cast<double>(y))));
    b.push_back(std::nextafter(a.back(), 0.0f));
  }
  f.save("a.npy", {4, 2}, a);
  f.save("b.npy", {4, 2}, b);
  const Result r = run(f.scratch(), "explain --network " + f / "tanh.json" + " --input " +
                                        f / "y.npy " + f.pair("a.npy", "b.npy"));
  EXPECT_THAT(r.out, AllOf(StartsWith("verdict "), Not(HasSubstr("  layer"))));
}

/// What `arguments` print on a terminal, up to `text`; then it is killed.
std::string on_terminal(std::vector<std::string> arguments, const std::string& text) {
  arguments.insert(arguments.begin(), tool);
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  std::string printed;
  char block[256];
  for (ssize_t n;
       printed.find(text) == printed.npos && (n = ::read(terminal, block, sizeof block)) > 0;)
    printed.append(block, static_cast<std::size_t>(n));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(terminal);
  return printed;
}

TEST_F(ToolAnswers, ShowTheTimeOnATerminalWhileTheyTakeLong) {
  constexpr std::size_t width = 64, rows = 200;
  std::vector<float> w, x;
  for (std::size_t i = 0; i < width * width; ++i) w.push_back(std::sin(static_cast<float>(i)) / 8);
  for (std::size_t i = 0; i < rows * width; ++i) x.push_back(std::cos(static_cast<float>(i)));
  f.save("wide.npy", {width, width}, w);
  f.save("rows.npy", {rows, width}, x);
  f.text("wide.json", R"({"ulpfuzz_network": 1, "layers": ["linear wide.npy", "relu",
    "linear wide.npy"]})");
  EXPECT_THAT(on_terminal({"explain", "--network", f / "wide.json", "--input", f / "rows.npy",
                           "--jacobian", "--difference-sum", "1"},
                          "0:01"),
              EndsWith("ulpfuzz explain: 200 rows of 8,448 values  0:01"));
}

// The examples of docs/case-file.md that are networks, with files of the shapes that they ask for.
TEST_F(ToolAnswers, TakeTheNetworksOfTheDocs) {
  const std::string page = mutants::content(ULPFUZZ_SOURCE_DIR "/docs/case-file.md");
  std::size_t networks = 0;
  for (std::size_t at = 0; (at = page.find("```json\n{\"ulpfuzz_network\"", at)) != page.npos;
       ++at) {
    const std::size_t begin = at + 8;
    const std::string text = page.substr(begin, page.find("```", begin) - begin);
    const json j = json::parse(text);
    std::size_t parameter = 0;
    for (const json& node : j["network"]["nodes"]) {
      if (node["op"] != "parameter") continue;
      const std::size_t rows = node["shape"][0], cols = node["shape"][1];
      const json& tensor = j["parameters"][parameter++];
      if (tensor.contains("npy"))
        f.save(tensor["npy"], {rows, cols}, std::vector<float>(rows * cols, 0.25f));
    }
    const NetworkFile file = network_from_text(text, "docs", f / "");
    EXPECT_EQ(file.network.outputs().size(), 1u);
    EXPECT_EQ(file.parameters.size(), parameter);
    ++networks;
  }
  EXPECT_EQ(networks, 2u);
}

}  // namespace
}  // namespace ulpfuzz
