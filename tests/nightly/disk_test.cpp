#include <sys/mount.h>

#include "night_process.hpp"
#include "short_night.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;
using mutants::Scratch;

/// A small disk, for as long as it lives.
class SmallDisk {
 public:
  SmallDisk(fs::path at, const char* size) : at_(std::move(at)) {
    fs::create_directories(at_);
    const std::string options = fmt::format("size={}", size);
    mounted_ = mount("tmpfs", at_.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) umount2(at_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  bool mounted() const { return mounted_; }

 private:
  fs::path at_;
  bool mounted_ = false;
};

/// Every case file below a folder is whole.
std::size_t readable_cases(const fs::path& folder) {
  std::size_t n = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.path().filename().string().ends_with(".case.json")) continue;
    EXPECT_NO_THROW(read_case(entry.path())) << entry.path();
    ++n;
  }
  return n;
}

TEST(NightlyDisk, FullOneIsReportedAndLosesNothingWritten) {
  const Scratch scratch;
  const SmallDisk disk(scratch / "disk", "3200k");
  if (!disk.mounted()) GTEST_SKIP() << "only root may mount a small tmpfs";
  nightly::NightlyOptions o = short_night(scratch);
  o.out = scratch / "disk" / "night";
  o.subjects = {"fault/neighbour_row", "fault/tf32_above_8", "fault/drops_last_product"};
  o.cases = 300;
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 4);
  EXPECT_FALSE(night.buckets.empty()) << "what was found is known all the same";
  const bool told = std::any_of(night.errors.begin(), night.errors.end(), [](const auto& e) {
    return e.find("No space left") != std::string::npos;
  });
  EXPECT_TRUE(told) << (night.errors.empty() ? "no errors" : night.errors.front());
  EXPECT_GT(readable_cases(o.out), 0U);
  EXPECT_EQ(phase_of(night, "self-check").state, report::Phase::State::done);
  expect_reports(o.out);  // room is kept for them
}

TEST(NightlyDisk, ACorpusThatCannotBeWrittenIsAnErrorAndTheReportIsThere) {
  const Scratch scratch;
  nightly::NightlyOptions o = short_night(scratch);
  o.subjects = {"loops"};
  fs::create_directories(o.corpus);
  std::ofstream(o.corpus / "distilled") << "a file where a folder should be";
  const report::Night night = nightly::run_nightly(o, usual_subjects());
  EXPECT_EQ(night.exit_code, 4);
  ASSERT_FALSE(night.errors.empty());
  EXPECT_NE(night.errors.front().find("distilled"), std::string::npos) << night.errors.front();
  expect_reports(o.out);
}

}  // namespace
}  // namespace ulpfuzz
