#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tool_run.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/replay.hpp"

namespace ulpfuzz {
namespace {

using mutants::Scratch;
using nlohmann::json;

/// A finding of --bitwise whose class does not tell that it was: additions in any order.
class BitwiseNote : public ::testing::Test {
 protected:
  BitwiseNote() {
    const Result found =
        run(scratch,
            "run --subject simt/atomics --bitwise --property batched_vs_sliced --cases 300 "
            "--seed 5 --shrink-evaluations 0 --jobs 1" +
                out_option(scratch));
    EXPECT_EQ(found.code, 1) << found.err;
    // As it was found: of a minimal case few calls give other bits.
    for (const auto& path : case_files({scratch / "report"}))
      if (path.filename() != "minimal.case.json" &&
          read_case(path).notes.at("class") == "nondeterministic")
        file = path.string();
  }
  const Scratch scratch;
  std::string file;
};

TEST_F(BitwiseNote, MakesAFindingReplayShrinkAndRunAsItWasFound) {
  ASSERT_FALSE(file.empty());
  EXPECT_EQ(read_case(file).notes.at("bitwise"), "yes");
  EXPECT_EQ(run(scratch, "replay " + file).code, 1);
  const std::string small = (scratch / "small.case.json").string();
  EXPECT_EQ(run(scratch, "shrink " + file + " --out " + small).code, 1);
  EXPECT_EQ(read_case(small).notes.at("bitwise"), "yes");
  const Result again =
      run(scratch, "run --subject simt/atomics --shrink-evaluations 5 --json - --case " + file +
                       " --out " + (scratch / "again").string());
  EXPECT_EQ(again.code, 1) << again.err;
  const json bucket = json::parse(again.out).at("buckets").at(0);
  EXPECT_EQ(bucket.at("class"), "nondeterministic");
  EXPECT_GT(bucket.at("reproduced").get<unsigned>(), 0u);
  EXPECT_EQ(read_case(bucket.at("case").get<std::string>()).notes.at("bitwise"), "yes");
}

TEST_F(BitwiseNote, WithoutItTheClassAloneDemandsNothing) {
  ASSERT_FALSE(file.empty());
  CaseFile old = read_case(file);
  old.notes.erase("bitwise");
  const std::string plain = (scratch / "plain.case.json").string();
  write_case(plain, old);
  EXPECT_EQ(run(scratch, "replay " + plain).code, 0);
  EXPECT_EQ(run(scratch, "replay --bitwise " + plain).code, 1);
}

}  // namespace
}  // namespace ulpfuzz
