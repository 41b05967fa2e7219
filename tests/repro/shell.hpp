#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace ulpfuzz::repro {

/// A new folder, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A program that ran: what it printed, and its exit code.
struct Ran {
  int code = -1;
  std::string printed;
  std::map<std::string, double> numbers;  ///< "a", "b", "difference", "bound"
};

/// Runs the command by the shell, in the folder; both streams are read.
Ran run_shell(const std::filesystem::path& folder, const std::string& command);

}  // namespace ulpfuzz::repro
