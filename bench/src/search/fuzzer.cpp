#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "search/trial.hpp"

namespace ulpfuzz::bench {
namespace fs = std::filesystem;
namespace {

/// A folder that goes away.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "ulpfuzz-search-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// What libFuzzer calls a failure of the target: it ended at the first, as it was asked to.
constexpr int aborted = 77;

int run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::optional<Found> search_by_fuzzer(Way way, const Search& s, const fs::path& targets) {
  const fs::path target = targets / fmt::format("fuzz_{}", s.property->name);
  if (!fs::exists(target)) return std::nullopt;
  const Folder folder;
  fs::create_directory(folder.path() / "corpus");
  const fs::path statistics = folder.path() / "statistics.json";
  const int code = run(fmt::format(
      "cd '{}' && ULPFUZZ_ON_FAILURE={} ULPFUZZ_FINDINGS=findings ULPFUZZ_SUBJECTS='{}' "
      "ULPFUZZ_FEEDBACK={} ULPFUZZ_STATISTICS='{}' '{}' -runs={} -seed={} -rss_limit_mb=0 "
      "-timeout=100 corpus >log 2>&1 </dev/null",
      folder.path().string(), s.until_failure ? "abort" : "collect", s.subject->name(),
      way == Way::feedback ? "share" : "none", statistics.string(), fs::absolute(target).string(),
      s.evaluations, s.seed));
  const auto j = nlohmann::json::parse(std::ifstream(statistics), nullptr, false);
  if ((code != 0 && code != aborted) || !j.is_object())
    throw std::runtime_error(fmt::format("{} ended with exit code {}", target.string(), code));
  Found f;
  f.evaluations = j.at("executions");
  f.seconds = j.at("seconds");
  f.share = j.at("share_max");
  f.probabilistic = j.value("share_probabilistic", 0.0);
  if (j.at("failures") != 0) {
    f.failure = j.at("first_failure_execution").get<std::uint64_t>();
    f.failure_seconds = j.at("first_failure_seconds");
  }
  return f;
}

}  // namespace ulpfuzz::bench
