#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "random_case.hpp"

namespace ulpfuzz {
namespace {

namespace fs = std::filesystem;

class FileIo : public ::testing::Test {
 protected:
  FileIo() {
    folder_ = fs::temp_directory_path() / ("ulpfuzz_file_io_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~FileIo() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string content(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }
  static std::string write_error(const fs::path& path, std::string_view bytes) {
    try {
      write_file_atomically(path, bytes);
    } catch (const FileError& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder_;
};

TEST_F(FileIo, WritesAndReadsBothForms) {
  random_cases::Random random(31);
  const CaseFile file = random_cases::any_case_file(random);
  for (const char* name : {"a.case", "a.case.json"}) {
    write_case(folder_ / name, file);
    const CaseFile back = read_case(folder_ / name);
    EXPECT_TRUE(identical(back.value, file.value));
    EXPECT_EQ(back.notes, file.notes);
  }
  EXPECT_EQ(content(folder_ / "a.case.json"), to_text(file));
  EXPECT_TRUE(content(folder_ / "a.case").starts_with("ULPCASE"));
  EXPECT_EQ(files(), 2u);
  // What a file is, its content decides.
  fs::rename(folder_ / "a.case", folder_ / "b.case.json");
  EXPECT_TRUE(identical(read_case(folder_ / "b.case.json").value, file.value));
}

TEST_F(FileIo, ReadsANetworkFromTheFileBeside) {
  random_cases::Random random(32);
  const CaseFile file = random_cases::any_case_file(random);
  const NetworkFile network{file.value.network, file.value.parameters};
  write_file_atomically(folder_ / "x.network.json", to_text(network));
  std::string text = to_text(file);
  const auto from = text.find("  \"network\"");
  const auto to = text.find("  \"inputs\"");
  text.replace(from, to - from, "  \"network\": {\"file\": \"x.network.json\"},\n");
  write_file_atomically(folder_ / "x.case.json", text);
  const CaseFile back = read_case(folder_ / "x.case.json");
  EXPECT_TRUE(identical(back.value, file.value));
  EXPECT_EQ(to_text(back), to_text(file));

  write_file_atomically(folder_ / "x.network.json", "{\"ulpfuzz_network\": 1}");
  EXPECT_THROW(read_case(folder_ / "x.case.json"), FileError);
}

TEST_F(FileIo, ReplacesAFileAsAWhole) {
  const fs::path path = folder_ / "f";
  write_file_atomically(path, "old and longer");
  write_file_atomically(path, std::string_view("new\0", 4));
  EXPECT_EQ(content(path), std::string_view("new\0", 4));
  EXPECT_EQ(files(), 1u);
}

TEST_F(FileIo, NamesTheFileAndTheReason) {
  EXPECT_EQ(write_error(folder_ / "none" / "f", "x"),
            (folder_ / "none" / "f").string() +
                ": create: No such file or directory; check that its "
                "folder exists and is writable");
  fs::create_directories(folder_ / "d" / "e");
  EXPECT_THAT(write_error(folder_ / "d", "x"),
              testing::StartsWith((folder_ / "d").string() + ": rename: Is a directory"));
  EXPECT_EQ(files(), 1u);
  EXPECT_THROW(read_case(folder_ / "none"), FileError);
  EXPECT_THROW(read_case(folder_ / "d"), FileError);
  EXPECT_THROW(read_network(folder_ / "none"), FileError);
}

TEST_F(FileIo, LeavesAnUnwritableFolderAlone) {
  fs::permissions(folder_, fs::perms{0555});
  const uid_t user = ::geteuid();
  const uid_t nobody = 65534;
  if (user == 0) {  // root may write anywhere
    ASSERT_EQ(::seteuid(nobody), 0);
  }
  const std::string error = write_error(folder_ / "f", "x");
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_THAT(error, testing::HasSubstr("create: Permission denied"));
  EXPECT_EQ(files(), 0u);
}

// A limit on the size of files stands in for a full disk.
TEST_F(FileIo, KeepsTheOldFileWhenTheDiskIsFull) {
  const fs::path path = folder_ / "f";
  write_file_atomically(path, "old");
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit saved{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &saved), 0);
  const rlimit small{4096, saved.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = write_error(path, std::string(10'000, 'x'));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &saved), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, path.string() + ": write: File too large; free space or write elsewhere");
  EXPECT_EQ(content(path), "old");
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace ulpfuzz
