#include "ulpfuzz/runner/files.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <future>

#include "support/folder.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/folder_lock.hpp"

namespace ulpfuzz {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using testing_support::Folder;

TEST(Files, AreReadWhollyOrNotThere) {
  const Folder folder;
  const std::string bytes("a\0b\r\n", 5);
  testing_support::put(folder / "bytes", bytes);
  EXPECT_EQ(file_text(folder / "bytes"), bytes);
  EXPECT_EQ(read_file(folder / "bytes"), bytes);
  EXPECT_EQ(file_text(folder / "none"), std::nullopt);
  EXPECT_THAT([&] { read_file(folder / "none"); },
              ThrowsMessage<FileError>(HasSubstr((folder / "none").string() + ": read: is not")));
  EXPECT_THAT([&] { file_text(folder.path()); },
              ThrowsMessage<FileError>(HasSubstr("is no regular file")));
}

TEST(Files, BesideACaseAreNamedByIt) {
  EXPECT_TRUE(is_case_file("a/b.case"));
  EXPECT_TRUE(is_case_file("a/b.case.json"));
  EXPECT_FALSE(is_case_file("a/b.json"));
  EXPECT_EQ(with_end("a/b.case.json", ".min.case"), "a/b.min.case");
  EXPECT_EQ(with_end("b.x.case", ""), "b.x");
  EXPECT_EQ(account_of("a/minimal.case.json"), "a/minimal.txt");
}

TEST(FolderLock, IsOfOneAtATimeAndEndsWithItsOwner) {
  const Folder folder;
  const auto place = folder / "made/by it";
  auto first = FolderLock::if_free(place);
  ASSERT_TRUE(first);
  EXPECT_FALSE(FolderLock::if_free(place));
  FolderLock moved = std::move(*first);
  first.reset();
  EXPECT_FALSE(FolderLock::if_free(place));
  { const FolderLock ends = std::move(moved); }
  EXPECT_TRUE(FolderLock::if_free(place));
}

TEST(FolderLock, WaitsForTheOneBeforeIt) {
  const Folder folder;
  auto first = FolderLock::if_free(folder.path());
  ASSERT_TRUE(first);
  auto second = std::async(std::launch::async, [&] { const FolderLock lock(folder.path()); });
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  first.reset();
  second.get();
  EXPECT_TRUE(FolderLock::if_free(folder.path()));
}

TEST(FolderLock, WaitsNoLongerThanTwoSecondsForSomebodyInAHurry) {
  const Folder folder;
  const auto first = FolderLock::if_free(folder.path());
  ASSERT_TRUE(first);
  const auto began = std::chrono::steady_clock::now();
  const auto waited = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  // In a hurry once a second has passed.
  EXPECT_THAT([&] { FolderLock(folder.path(), [&] { return waited() > 1; }); },
              ThrowsMessage<FolderBusy>(HasSubstr(folder.path().string() + ": lock: ")));
  EXPECT_GE(waited(), 2);
  EXPECT_LT(waited(), 10);
}

TEST(FolderLock, NamesAFolderThatCannotBeOne) {
  const Folder folder;
  testing_support::put(folder / "file", "");
  EXPECT_THAT([&] { FolderLock::if_free(folder / "file"); },
              ThrowsMessage<FileError>(HasSubstr((folder / "file").string() + ": ")));
}

}  // namespace
}  // namespace ulpfuzz
