#include <sys/stat.h>

#include <fstream>
#include <set>

#include "short_night.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;
using mutants::Scratch;

/// 1,000 files made from good ones: cut, with a bit changed, empty, foreign, folders, unreadable
/// devices. Returns the names of those that nothing can be read from.
std::set<std::string> fill(const fs::path& folder) {
  fs::create_directories(folder);
  std::set<std::string> broken;
  for (unsigned i = 0; i < 1000; ++i) {
    CaseFile file{generators::case_from_seed(3, i % 50), {}};
    file.notes = {{"property", "batched_vs_sliced"}, {"subject", "loops"}};
    const auto bytes = to_bytes(file);
    std::string text(bytes.begin(), bytes.end());
    const std::string name = fmt::format("{:04}.case", i);
    const fs::path path = folder / name;
    broken.insert(name);
    switch (i % 6) {
      case 0:
        text.resize(text.size() * (i % 37) / 37);
        break;
      case 1:
        text[i * 7919 % text.size()] ^= static_cast<char>(1U << i % 8);
        break;
      case 2:
        text.clear();
        break;
      case 3:
        text =
            "\x7f"
            "ELF and more";
        break;
      case 4:
        fs::create_directory(path);
        continue;
      case 5:
        mkfifo(path.c_str(), 0600);
        continue;
    }
    std::ofstream(path, std::ios::binary) << text;
  }
  return broken;
}

TEST(NightlyCorpus, BrokenFilesAreNamedAndEndNoNight) {
  const Scratch scratch;
  nightly::NightlyOptions o = short_night(scratch);
  o.subjects = {"loops"};
  const std::set<std::string> broken = fill(o.corpus / "distilled");
  fill(scratch / "seeds");
  o.seeds = {scratch / "seeds"};
  const CaseFile good{generators::case_from_seed(3, 99),
                      {{"property", "batched_vs_sliced"}, {"subject", "loops"}}};
  write_case(o.corpus / "distilled" / (content_hash(good.value) + ".case"), good);
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 0) << (night.errors.empty() ? "" : night.errors.front());
  EXPECT_EQ(phase_of(night, "replay").cases, 1U) << phase_of(night, "replay").note;
  EXPECT_NE(phase_of(night, "replay").note.find("1000 files left out"), std::string::npos)
      << phase_of(night, "replay").note;
  EXPECT_EQ(night.stability, 1);
  const std::string list = mutants::content(o.out / "unusable.txt");
  for (const std::string& name : broken)
    EXPECT_NE(list.find((o.corpus / "distilled" / name).string()), std::string::npos) << name;
  EXPECT_NE(list.find((scratch / "seeds" / "0000.case").string()), std::string::npos);
  expect_reports(o.out);
}

TEST(NightlyCorpus, ARegressionThatCannotBeReadIsAnError) {
  const Scratch scratch;
  nightly::NightlyOptions o = short_night(scratch);
  o.subjects = {"loops"};
  o.regressions = {scratch / "regressions"};
  fs::create_directories(scratch / "regressions");
  std::ofstream(scratch / "regressions" / "cut.case.json") << "{";
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 4);
  ASSERT_FALSE(night.errors.empty());
  EXPECT_NE(night.errors.front().find("cut.case.json"), std::string::npos);
}

/// A few kilobytes that ask for half a billion values.
Case too_large() {
  Case c;
  c.network.output(c.network.activation(Op::relu, c.network.input(4200)));
  c.inputs = {Tensor(2, 4200)};
  c.split = {{{0, 1}, 65536}};
  return c;
}

TEST(NightlyCorpus, ACaseTooLargeToComputeIsLeftOut) {
  const Scratch scratch;
  nightly::NightlyOptions o = short_night(scratch);
  o.subjects = {"loops"};
  fs::create_directories(o.corpus / "distilled");
  for (const std::uint64_t i : {1, 2}) {
    CaseFile file{generators::case_from_seed(3, i),
                  {{"property", "batched_vs_sliced"}, {"subject", "loops"}}};
    if (i == 2) file.value = too_large();
    write_case(o.corpus / "distilled" / fmt::format("{}.case", i), file);
  }
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 0) << (night.errors.empty() ? "" : night.errors.front());
  const report::Phase& replay = phase_of(night, "replay");
  EXPECT_EQ(replay.cases, 1U);
  EXPECT_NE(replay.note.find("2.case: batched_vs_sliced would compute"), std::string::npos)
      << replay.note;
}

}  // namespace
}  // namespace ulpfuzz
