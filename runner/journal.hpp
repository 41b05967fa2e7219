#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <unordered_map>

#include "ulpfuzz/runner/process.hpp"
#include "ulpfuzz/shrink/shrink.hpp"

namespace ulpfuzz {

/// All that the verdicts of a shrink depend on, but for the build of the program, which the journal
/// looks up: a journal serves no other.
struct JournalKey {
  std::string content_hash, property, subject;
  std::string environment;  ///< Subject::environment()
  std::string claim;
  CheckOptions check;
  Confirmation confirmation;
  double case_timeout = 0;
  std::uint64_t memory_limit = 0;
};

/// The memory of a shrink as a file of JSON lines that is only ever appended to: a header, then
/// {"h": content hash, "v": verdict}. Each line is one write, so that a kill leaves at most a torn
/// last one, which is ignored. A shrink whose journal is there goes on where it was. Nothing
/// throws: what cannot be written is said once to `say`, and is remembered as long as this lives.
class Journal final : public ShrinkMemory {
 public:
  using Say = std::function<void(const std::string&)>;
  /// Takes in what the file holds if it is of `key`. Another one is renamed to PATH.old. One that
  /// another process writes to is left alone.
  Journal(std::filesystem::path path, const JournalKey& key, Say say);
  ~Journal() override;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  std::optional<Verdict> recall(const std::string& content_hash) override;
  void record(const std::string& content_hash, const Verdict& verdict) override;
  /// To the disk, at most twice a second: for a machine that loses power. A kill needs none.
  void sync();
  /// It has served: removes the file.
  void remove();

  std::size_t found() const { return found_; }  ///< verdicts of a run before
  bool kept() const { return fd_ >= 0; }        ///< is there a file?

 private:
  void open_file();
  /// False if the file is of something else.
  bool load(const std::string& header);
  void set_aside();
  void append(const std::string& line);
  void give_up(const std::string& what, int error);

  std::filesystem::path path_;
  Say say_;
  int fd_ = -1;
  std::size_t found_ = 0;
  std::unordered_map<std::string, Verdict> verdicts_;
  process::Clock::time_point synced_ = process::Clock::now();
};

/// Beside a result: X.min.case.json -> X.min.shrink-journal.
std::filesystem::path journal_beside(const std::filesystem::path& case_file);

}  // namespace ulpfuzz
