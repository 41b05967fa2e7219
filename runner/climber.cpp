#include "climber.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/corpus_file.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t turns_between_writes = 1024;  // of a worker
// Cases of search, whatever else the seed serves.
constexpr std::uint64_t stream = 0x636c696d62;

/// All bytes, or an error.
template <class Call, class Bytes>
bool all_of(const Call& call, int fd, Bytes* bytes, std::size_t size, std::uint64_t at) {
  while (size > 0) {
    const ssize_t done = call(fd, bytes, size, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    at += static_cast<std::uint64_t>(done);
    size -= static_cast<std::size_t>(done);
  }
  return true;
}

/// Whole or not at all, but not synced: a night keeps thousands of cases, each of which tells by
/// its hash whether it is whole, and two syncs a file take longer than the trials between them.
void write_unsynced(const fs::path& path, const std::vector<std::uint8_t>& bytes) {
  fs::path temporary = path;
  temporary += fmt::format(".{}.tmp", getpid());
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool written = fd >= 0 && all_of(pwrite, fd, bytes.data(), bytes.size(), 0);
  int error = errno;
  if (fd >= 0 && close(fd) != 0 && written) written = false, error = errno;
  if (written && rename(temporary.c_str(), path.c_str()) == 0) return;
  if (written) error = errno;
  unlink(temporary.c_str());
  throw FileError(fmt::format("{}: cannot be written: {}; free space or choose another --corpus",
                              path.string(), std::generic_category().message(error)));
}

void write_case_of(const Pair& pair, const Case& c, const fs::path& folder) {
  fs::create_directories(folder);
  const fs::path path = folder / corpus_file_name(c, pair.property->name, pair.subject->name());
  if (fs::exists(path)) return;
  write_unsynced(path, to_bytes({c,
                                 {{"property", std::string(pair.property->name)},
                                  {"subject", std::string(pair.subject->name())}}}));
}

}  // namespace

generators::SeedSource source_of(const CampaignOptions& options, std::uint64_t turn) {
  return {options.seed ^ stream, turn};
}

/// In a file in memory that the parent holds. A case that outgrew its place gets a new one at the
/// end: the file grows by little more than the largest that each cell has seen.
class Climber::Store final : public search::Pool::Store {
 public:
  explicit Store(int fd) : fd_(fd) {}

  void put(const Case& c, search::Heights::Cell& cell) override {
    const std::vector<std::uint8_t> bytes = to_bytes({c, {}});
    if (bytes.size() > cell.room) {
      struct stat s {};
      if (fstat(fd_, &s) != 0) return;
      cell.at = static_cast<std::uint64_t>(s.st_size);
      cell.room = bytes.size() + bytes.size() / 4;
      if (ftruncate(fd_, static_cast<off_t>(cell.at + cell.room)) != 0) cell.room = 0;
    }
    const bool kept = cell.room != 0 && all_of(pwrite, fd_, bytes.data(), bytes.size(), cell.at);
    cell.bytes = kept ? bytes.size() : 0;
  }

  std::optional<Case> get(const search::Heights::Cell& cell) override {
    std::vector<std::uint8_t> bytes(cell.bytes);
    if (bytes.empty() || !all_of(pread, fd_, bytes.data(), bytes.size(), cell.at))
      return std::nullopt;
    try {
      return case_from_bytes(bytes, "kept case").value;
    } catch (const std::exception&) {
      return std::nullopt;  // a process died while it wrote
    }
  }

 private:
  int fd_;
};

Climber::Climber(const CampaignOptions& options, const Plan& plan, SharedState& state,
                 const Climbs& climbs, std::size_t worker)
    : options_(options),
      plan_(plan),
      state_(state),
      from_(climbs),
      worker_(worker),
      store_(std::make_unique<Store>(climbs.file(worker))),
      pools_(plan.pairs.size()) {}

Climber::~Climber() = default;

search::Pool& Climber::pool(std::size_t pair) {
  if (!pools_[pair])
    pools_[pair] = std::make_unique<search::Pool>(state_.climbed(worker_)[pair].heights, *store_);
  return *pools_[pair];
}

Case Climber::next(std::uint64_t turn) {
  const std::size_t pair = plan_.pair_index(turn);
  const Climbed& climbed = state_.climbed(worker_)[pair];
  const auto& seeds = from_.seeds(worker_, pair);
  climbed_ = false;
  // Every second turn, so that there is progress however many seeds there are.
  seeded_ = climbed.seeds < seeds.size() && climbed.heights.offered % 2 == 0;
  if (seeded_) return from_.seed(seeds[climbed.seeds]);
  generators::SeedSource source = source_of(options_, turn);
  Case c = pool(pair).next(source, plan_.pairs[pair].limits);
  climbed_ = !pool(pair).drawn();
  return c;
}

void Climber::settle(std::uint64_t turn, const Case& c, const Verdict& verdict) {
  const std::size_t pair = plan_.pair_index(turn);
  if (seeded_) ++state_.climbed(worker_)[pair].seeds;
  seeded_ = false;
  if (!pool(pair).offer(c, verdict)) return;
  ++state_.slot(worker_).corpus;
  unwritten_ = true;
}

bool Climber::is_due(std::uint64_t turn) const {
  return unwritten_ && turn / options_.jobs % turns_between_writes == turns_between_writes - 1;
}

void Climber::write() {
  const fs::path folder = options_.corpus / fmt::format("worker-{}", worker_);
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    search::Heights& heights = state_.climbed(worker_)[p].heights;
    for (std::size_t i = 0; i < heights.cells.size(); ++i) {
      if (!heights.cells[i].fresh) continue;
      if (const Case* c = pool(p).value(i)) write_case_of(plan_.pairs[p], *c, folder);
      heights.cells[i].fresh = false;  // not before: a full disk may have room again
    }
  }
  unwritten_ = false;
}

}  // namespace ulpfuzz
