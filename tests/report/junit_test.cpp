#include <gmock/gmock.h>

#include <fstream>

#include "junit_rules.hpp"
#include "sample_night.hpp"
#include "support/folder.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::report {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing_support::Folder;

/// A night's JUnit XML, read back. Fails the test where it breaks the schema.
class Read {
 public:
  explicit Read(const Night& night, const std::filesystem::path& folder = {})
      : text(to_junit(night, folder)) {
    EXPECT_TRUE(document.load_string(text.c_str()));
    EXPECT_THAT(broken_rules(document), IsEmpty());
    EXPECT_THAT(forbidden_characters(text), IsEmpty());
  }
  pugi::xml_node test(const std::string& name) const {
    pugi::xml_node found = document.find_node([&](pugi::xml_node node) {
      return node.name() == std::string("testcase") && node.attribute("name").value() == name;
    });
    EXPECT_TRUE(found) << name;
    return found;
  }
  std::string root(const char* key) const {
    return document.document_element().attribute(key).value();
  }

  std::string text;
  pugi::xml_document document;
};

Night junit_night(BucketState state) {
  Night night;
  night.cases = 100;
  night.seconds = 50;
  night.date = "2026-11-30T02:00:00Z";
  night.pairs = {{.property = "P", .subject = "S", .cases = 60, .pass = 60},
                 {.property = "P", .subject = "other", .cases = 40, .vacuous = 40}};
  NightBucket b;
  b.state = state;
  b.bucket.id = "P-S-linear-doubled";
  b.bucket.property = "P";
  b.bucket.subject = "S";
  b.bucket.failure_class = "beyond_bound";
  b.bucket.cause = "doubled";
  b.bucket.reason = "off by 3 times the bound";
  b.bucket.count = 12;
  b.bucket.share = 3;
  b.bucket.case_file = "findings/P-S-linear-doubled/minimal.case.json";
  b.owner = "Ann";
  b.until = "2026-12-31";
  night.buckets = {b};
  return night;
}

TEST(Junit, FailsForWhatIsNewOpenOrBack) {
  for (const auto state : {BucketState::fresh, BucketState::open, BucketState::returned}) {
    const Read read(junit_night(state));
    const auto failure = read.test("P-S-linear-doubled").child("failure");
    EXPECT_THAT(failure.attribute("message").value(), StartsWith(std::string(name(state)) + ": "));
    EXPECT_THAT(failure.attribute("message").value(), HasSubstr("off by 3 times the bound"));
    EXPECT_STREQ(failure.attribute("type").value(), "beyond_bound");
    EXPECT_THAT(failure.text().get(), HasSubstr("doubled"));
    EXPECT_THAT(failure.text().get(),
                HasSubstr("ulpfuzz replay findings/P-S-linear-doubled/minimal.case.json"));
    EXPECT_TRUE(read.test("S").child("failure")) << "the property does not hold on S";
  }
}

TEST(Junit, SkipsKnownFailuresAndNamesTheirOwner) {
  const Read read(junit_night(BucketState::known));
  EXPECT_EQ(read.root("failures"), "0");
  EXPECT_STREQ(read.test("P-S-linear-doubled").child("skipped").attribute("message").value(),
               "known to Ann until 2026-12-31");
  EXPECT_TRUE(read.test("S").child("skipped")) << "not passed: its failures are known";
}

TEST(Junit, PassesWhatIsFlakyOrFixedWithAWord) {
  for (const auto state : {BucketState::flaky, BucketState::fixed}) {
    const Read read(junit_night(state));
    EXPECT_EQ(read.root("failures"), "0");
    const auto test = read.test("P-S-linear-doubled");
    EXPECT_FALSE(test.child("skipped"));
    EXPECT_THAT(test.child("system-out").text().get(), HasSubstr(std::string(name(state))));
    EXPECT_FALSE(read.test("S").child("skipped"));
  }
}

TEST(Junit, HasATestForEachPropertyAndSubjectWithItsPartOfTheTime) {
  const Read read(junit_night(BucketState::fixed));
  EXPECT_STREQ(read.test("S").attribute("classname").value(), "ulpfuzz.P");
  EXPECT_STREQ(read.test("S").attribute("time").value(), "30.000");
  EXPECT_STREQ(read.test("other").child("skipped").attribute("message").value(),
               "no case was judged");
}

TEST(Junit, CarriesWhatOneLooksForAsProperties) {
  const Folder folder;
  Night night = samples::usual_night(folder.path());
  const Read read(night, folder.path());
  const auto& fresh = night.buckets[1];
  ASSERT_EQ(fresh.state, BucketState::fresh);
  const std::string out = read.test(fresh.bucket.id).child("system-out").text().get();
  EXPECT_THAT(out, HasSubstr("[[PROPERTY|bucket=" + fresh.bucket.id + "]]"));
  EXPECT_THAT(out, HasSubstr("[[PROPERTY|share=infinite]]"));
  EXPECT_THAT(out, HasSubstr("[[PROPERTY|command=ulpfuzz replay findings/"));
  const auto smallest = read_case(folder.path() / fresh.bucket.case_file).value;
  EXPECT_THAT(out, HasSubstr("[[PROPERTY|hash=" + content_hash(smallest) + "]]"));
  EXPECT_THAT(read.test(fresh.bucket.id).child("failure").text().get(),
              HasSubstr("worst element output[row 1][column 0]"))
      << "the account beside the case";
}

TEST(Junit, ReportsBrokenInfrastructureAsErrors) {
  const Read cut(samples::cut_night());
  EXPECT_THAT(cut.test("self-check").child("error").attribute("message").value(),
              HasSubstr("fault/row_leak was not caught"));
  EXPECT_THAT(cut.test("infrastructure").child("error").text().get(), HasSubstr("No space left"));
  EXPECT_TRUE(cut.test("random").child("skipped")) << "not begun is not passed";
  EXPECT_EQ(cut.root("errors"), "2");
  EXPECT_TRUE(Read(samples::running_night()).test("over").child("error"));
  Night little = samples::empty_night();
  little.exit_code = 5;
  EXPECT_TRUE(Read(little).test("enough").child("error"));
}

TEST(Junit, HasATestForEachRegressionOnFile) {
  Night night = junit_night(BucketState::returned);
  night.regressions = {{"regressions/a.case.json", "pass"},
                       {"regressions/b.case.json", "P-S-linear-doubled"},
                       {"regressions/c.case.json", "skip"}};
  const Read read(night);
  EXPECT_FALSE(read.test("regressions/a.case.json").first_child());
  EXPECT_TRUE(read.test("regressions/b.case.json").child("failure"));
  EXPECT_TRUE(read.test("regressions/c.case.json").child("skipped"));
  night.buckets[0].state = BucketState::known;
  EXPECT_TRUE(Read(night).test("regressions/b.case.json").child("skipped"));
}

TEST(Junit, AddsUp) {
  const Folder folder;
  for (const Night& night :
       {samples::usual_night(folder.path()), samples::quiet_night(), samples::cut_night()}) {
    const Read read(night);
    std::uint64_t red = 0;
    for (const NightBucket& b : night.buckets)
      red += b.state == BucketState::fresh || b.state == BucketState::open ||
             b.state == BucketState::returned;
    std::uint64_t failing = 0;
    for (const auto suite : read.document.document_element().children("testsuite"))
      for (const auto test : suite.children("testcase"))
        failing +=
            test.child("failure") &&
            std::string_view(test.attribute("classname").value()).starts_with("ulpfuzz.buckets.");
    EXPECT_EQ(failing, red);
    EXPECT_EQ(red == 0, read.root("failures") == "0");
  }
}

}  // namespace
}  // namespace ulpfuzz::report
