#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <vector>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> regressions() {
  std::vector<std::string> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(ULPFUZZ_SOURCE_DIR "/corpus/regressions")) {
    const std::string path = entry.path().string();
    if (path.ends_with(".case.json") || path.ends_with(".case")) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Regressions : public testing::TestWithParam<std::string> {};

TEST(RegressionFiles, AreThere) { EXPECT_FALSE(regressions().empty()); }

// A file states what must come out of it: "expected" is an outcome, or a failure class.
TEST_P(Regressions, HasTheVerdictThatItsFileStates) {
  const CaseFile file = read_case(GetParam());
  const Property* property = properties::find(file.notes.at("property"));
  ASSERT_NE(property, nullptr) << file.notes.at("property");
  Registry subjects = builtin_subjects();
  subjects.merge(planted_faults());
  const Subject* subject = subjects.find(file.notes.at("subject"));
  if (subject == nullptr) GTEST_SKIP() << "this build has no subject " << file.notes.at("subject");
  CheckContext context;
  const CheckOptions options{.bitwise = file.notes.contains("bitwise")};
  const Verdict verdict = property->check(file.value, *subject, options, context);
  const std::string_view got = verdict.failed() ? name(verdict.failure) : name(verdict.outcome);
  EXPECT_EQ(got, file.notes.at("expected"))
      << explain(*property, file.value, *subject, verdict) << file.notes.at("comment");
}

std::string file_name(const testing::TestParamInfo<std::string>& file) {
  std::string text = fs::path(file.param).filename().string();
  text.resize(text.find('.'));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char x) { return !std::isalnum(x); }, '_');
  return text;
}

INSTANTIATE_TEST_SUITE_P(Corpus, Regressions, testing::ValuesIn(regressions()), file_name);

}  // namespace
}  // namespace ulpfuzz
