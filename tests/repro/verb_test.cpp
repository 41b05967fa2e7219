#include <fmt/format.h>
#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "failures.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::repro {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

std::string content(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// `ulpfuzz repro` in a folder of its own.
class ReproVerb : public testing::Test {
 protected:
  ReproVerb() {
    std::string name = (fs::temp_directory_path() / "ulpfuzz-verb-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~ReproVerb() override { fs::remove_all(folder_); }

  /// Writes the failure of that name as a case file with its notes.
  std::string case_of(const std::string& name, std::map<std::string, std::string> notes = {}) {
    for (const KnownFailure& known : known_failures()) {
      if (known.name != name) continue;
      notes.insert({{"subject", known.subject}, {"property", std::string(known.property->name)}});
      if (known.bitwise) notes["bitwise"] = "yes";
      const fs::path path = folder_ / "small.case.json";
      write_case(path, {known.value, notes});
      return path.string();
    }
    throw std::invalid_argument("no failure " + name);
  }

  int run(const std::string& arguments) {
    const std::string command = fmt::format("cd {} && {}/bin/ulpfuzz repro {} >out 2>err",
                                            folder_.string(), ULPFUZZ_BINARY_DIR, arguments);
    const int status = std::system(command.c_str());
    out_ = content(folder_ / "out");
    err_ = content(folder_ / "err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  fs::path folder_;
  std::string out_, err_;
};

TEST_F(ReproVerb, PrintsTheProgramUnderItsUsualName) {
  const std::string file = case_of("neighbour_row");
  EXPECT_EQ(run(file + " --lang numpy"), 0) << err_;
  EXPECT_THAT(out_, StartsWith("# python3 repro_numpy.py\n"));
  EXPECT_EQ(run(file + " --lang torch --out -"), 0) << err_;
  EXPECT_THAT(out_, StartsWith("# python3 repro_torch.py\n"));
}

TEST_F(ReproVerb, NamesTheFileThatItWritesInTheFirstComment) {
  EXPECT_EQ(run(case_of("neighbour_row") + " --lang jax --out wrong_row.py"), 0) << err_;
  EXPECT_EQ(out_, "");
  EXPECT_THAT(content(folder_ / "wrong_row.py"), StartsWith("# python3 wrong_row.py\n"));
}

TEST_F(ReproVerb, GoesByTheNotesUnlessToldOtherwise) {
  EXPECT_EQ(run(case_of("lanes_above_1") + " --lang numpy"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("have other bits"));
  const std::string other = case_of("neighbour_row");
  EXPECT_EQ(run(other + " --lang numpy --subject fault/drops_last_product"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("What fault/drops_last_product gets wrong"));
}

TEST_F(ReproVerb, WritesNothingForACaseThatPasses) {
  const std::string file = case_of("neighbour_row");
  EXPECT_EQ(run(file + " --lang numpy --subject loops --out r.py"), 5);
  EXPECT_FALSE(fs::exists(folder_ / "r.py"));
  EXPECT_EQ(out_, "");
  EXPECT_THAT(err_, HasSubstr("batched_vs_sliced on loops: pass: there is nothing to show"));
}

TEST_F(ReproVerb, NamesTheLanguagesThereAre) {
  EXPECT_EQ(run(case_of("neighbour_row") + " --lang fortran"), 2);
  EXPECT_THAT(err_, HasSubstr("no language 'fortran'; there are cpp, cuda, torch, jax, numpy"));
}

TEST_F(ReproVerb, SaysWhichLanguageWouldFit) {
  const std::string file = case_of("neighbour_row");
  EXPECT_EQ(run(file + " --lang torch --subject fault/unwritten_tail"), 2);
  EXPECT_THAT(err_, HasSubstr("--lang cpp would fit"));
}

TEST_F(ReproVerb, ShowsAFailureUnderAnotherClaim) {
  const std::string file = case_of("tf32_above_8");
  EXPECT_EQ(run(file + " --lang torch --claim fp32"), 0) << err_;
  EXPECT_EQ(out_.find("allow_tf32"), std::string::npos);
  EXPECT_EQ(run(file + " --lang torch --claim tf32"), 5) << out_;
}

TEST_F(ReproVerb, MakesABugReportWithTheNotedBoundary) {
  const std::string file =
      case_of("tf32_above_8", {{"boundary", "fails from batch 9 on, passes at 8"}});
  EXPECT_EQ(run(file + " --lang torch --issue --out report.md"), 0) << err_;
  const std::string report = content(folder_ / "report.md");
  EXPECT_THAT(report, StartsWith("# fault/tf32_above_8: "));
  EXPECT_THAT(report, HasSubstr("- fails from batch 9 on, passes at 8\n"));
  EXPECT_THAT(report, HasSubstr("```python\n# python3 repro_torch.py\n"));
  EXPECT_THAT(report, HasSubstr("| compiler |"));
  EXPECT_THAT(report, HasSubstr("ulpfuzz replay "));
}

TEST_F(ReproVerb, FindsTheBoundaryThatIsNotNoted) {
  EXPECT_EQ(run(case_of("tf32_above_8") + " --lang numpy --issue"), 0) << err_;
  EXPECT_THAT(out_, HasSubstr("## Where failing turns into passing\n"));
  EXPECT_THAT(out_, HasSubstr("passes at 8"));
}

TEST_F(ReproVerb, QuotesTheNameOfTheFileInTheCommand) {
  const std::string file = case_of("neighbour_row");
  EXPECT_EQ(run(file + R"( --lang cpp --out "it's \$(touch x); y.cpp")"), 0) << err_;
  EXPECT_THAT(content(folder_ / "it's $(touch x); y.cpp"),
              HasSubstr(R"( 'it'\''s $(touch x); y.cpp' -o 'it'\''s $(touch x); y' && )"
                        R"('./it'\''s $(touch x); y')"
                        "\n"));
  EXPECT_EQ(run(file + " --lang numpy --out ./-x.py"), 0) << err_;
  EXPECT_THAT(content(folder_ / "-x.py"), StartsWith("# python3 ./-x.py\n"));
  EXPECT_EQ(run(file + " --lang cpp --out bare"), 0) << err_;
  EXPECT_THAT(content(folder_ / "bare"), HasSubstr(" -x c++ bare -o bare.out && ./bare.out\n"));
  EXPECT_EQ(run(file + " --lang numpy --out \"two\nlines.py\""), 2);
  EXPECT_THAT(err_, HasSubstr("control characters"));
}

TEST_F(ReproVerb, KeepsNotesInsideCommentsWhateverTheyHold) {
  const std::string evil = "x\nint injected;\r\v */ ends \\";
  const std::string file = case_of("tf32_above_8", {{"cause", evil}, {"boundary", evil}});
  for (const char* language : {"cpp", "cuda", "numpy"}) {
    ASSERT_EQ(run(file + " --lang " + language), 0) << err_;
    EXPECT_EQ(out_.find("\nint injected"), std::string::npos) << out_;
    EXPECT_EQ(out_.find("\\\n"), std::string::npos) << out_;
    EXPECT_EQ(out_.find('\r'), std::string::npos) << out_;
  }
  ASSERT_EQ(run(file + " --lang cpp --issue"), 0) << err_;
  EXPECT_EQ(out_.find("\nint injected"), std::string::npos) << out_;
  EXPECT_THAT(out_, HasSubstr("- x int injected;"));
}

}  // namespace
}  // namespace ulpfuzz::repro
