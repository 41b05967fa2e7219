#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "climber.hpp"
#include "ulpfuzz/generators/mutate.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/files.hpp"
#include "ulpfuzz/runner/notes.hpp"
#include "ulpfuzz/runner/process.hpp"
#include "ulpfuzz/runner/words.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t most_seed_bytes = std::uintmax_t{256} << 20;

/// Case files below a folder, sorted: a corpus that is still empty is no error.
std::vector<fs::path> files_below(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    throw FileError(
        fmt::format("{}: does not exist; seeds are case files or folders of them", path.string()));
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> files;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(path, skip, error), end; !error && at != end;
       at.increment(error))
    if (is_case_file(at->path()) && at->is_regular_file(error)) files.push_back(at->path());
  // Paths take many times as long to compare.
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
  return files;
}

/// Reads until the seeds are too many for memory, or, where time is counted, for a quarter of it.
class Reader {
 public:
  explicit Reader(double seconds) : seconds_(seconds) {}
  std::vector<CaseFile> read(const std::vector<fs::path>& files) {
    std::vector<CaseFile> cases;
    for (const fs::path& file : files) {
      if (seconds_ > 0 && process::seconds_since(began_) > seconds_ / 4) break;
      std::error_code error;
      const std::uintmax_t bytes = fs::file_size(file, error);
      if (error || bytes > left_) continue;
      try {
        cases.push_back(read_case(file));
        left_ -= bytes;
      } catch (const std::exception& unreadable) {
        if (unread_++ == 0) first_ = unreadable.what();
      }
    }
    return cases;
  }
  std::uint64_t unread() const { return unread_; }
  void tell(const std::function<void(const std::string&)>& say) const {
    if (unread_ != 0)
      say(fmt::format("{} left out that cannot be read: {}", counted(unread_, "seed"), first_));
  }

 private:
  const double seconds_;
  const process::Clock::time_point began_ = process::Clock::now();
  std::uintmax_t left_ = most_seed_bytes;
  std::uint64_t unread_ = 0;
  std::string first_;
};

bool fits(const CaseFile& file, const Pair& pair) {
  const std::string noted = note_of(file, "property");
  if (!noted.empty() && noted != pair.property->name) return false;
  if (pair.property->needs_gradient && file.value.cotangents.data.empty()) return false;
  return generators::within(file.value, pair.limits);
}

fs::path folder_of(const CampaignOptions& options, std::size_t worker) {
  return options.corpus / fmt::format("worker-{}", worker);
}

}  // namespace

Climbs::Climbs(const CampaignOptions& options, const Plan& plan,
               const std::function<void(const std::string&)>& say) {
  if (options.corpus.empty() && options.search != Search::climb) return;
  for (std::size_t w = 0; w < options.jobs; ++w) {
    const int fd = memfd_create("ulpfuzz", MFD_CLOEXEC);
    if (fd < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    files_.push_back(fd);
  }
  seeds_.resize(options.jobs);
  for (auto& of_worker : seeds_) of_worker.resize(plan.pairs.size());
  if (options.search != Search::climb) return;
  Reader reader(options.seconds);
  const auto take = [&](CaseFile&& file, std::size_t w) {
    bool taken = false;
    for (std::size_t p = 0; p < plan.pairs.size(); ++p) {
      if (!fits(file, plan.pairs[p])) continue;
      taken = true;
      auto& order = seeds_[w][p];
      const auto number = static_cast<std::uint32_t>(cases_.size());
      // Those that climbed with this very subject lead.
      const bool own = note_of(file, "subject") == plan.pairs[p].subject->name();
      own ? void(order.insert(order.begin(), number)) : order.push_back(number);
    }
    if (taken) cases_.push_back(std::move(file.value));
  };
  std::size_t next = 0;
  for (const fs::path& path : options.seeds)
    for (CaseFile& file : reader.read(files_below(path)))
      take(std::move(file), next++ % options.jobs);
  for (std::size_t w = 0; w < options.jobs; ++w)
    if (fs::is_directory(folder_of(options, w)))
      for (CaseFile& file : reader.read(files_below(folder_of(options, w))))
        take(std::move(file), w);
  reader.tell(say);
  unreadable_ = reader.unread();
}

Climbs::~Climbs() {
  for (const int fd : files_) close(fd);
}

}  // namespace ulpfuzz
