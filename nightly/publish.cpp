#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <system_error>
#include <utility>

#include "files.hpp"
#include "folder_lock.hpp"
#include "history.hpp"
#include "json_file.hpp"
#include "ledger.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

using report::BucketState;
using report::Night;
using report::NightBucket;

/// Each is replayed every night; the others' entries in the ledger stay.
constexpr std::size_t fixed_kept = 500;

bool fails(const NightBucket& b) {
  return b.state != BucketState::flaky && b.state != BucketState::fixed;
}

/// A name from a file must not lead out of the folder.
bool is_name(const std::string& id) {
  return !id.empty() && id != "." && id != ".." && id.find('/') == id.npos;
}

void write_if_other(const fs::path& file, const std::string& bytes) {
  if (file_text(file) != bytes) write_file_atomically(file, bytes);
}

class Publication {
 public:
  Publication(fs::path corpus, const Night& night, fs::path folder)
      : corpus_(std::move(corpus)), folder_(std::move(folder)), night_(night) {}

  void distilled() const;
  void drop_covered() const;
  void failing_and_ledger();

 private:
  void keep_case(const std::string& id, const NightBucket& b, const LedgerEntry* entry) const;
  void drop_long_fixed(const Ledger& ledger) const;

  const fs::path corpus_, folder_;
  const Night& night_;
};

/// The time of a file in distilled/ is when a night last wanted it.
void Publication::distilled() const {
  for (const fs::path& file : entries(folder_ / "distilled")) {
    if (file.extension() != ".case") continue;
    const fs::path kept = corpus_ / "distilled" / file.filename();
    std::error_code error;
    if (fs::exists(kept))
      fs::last_write_time(kept, fs::file_time_type::clock::now(), error);
    else
      nightly::copy_file(file, kept);
  }
}

/// What the night read and did without. Not what another night has wanted since: that one may have
/// done without the very cases that stand for it here.
void Publication::drop_covered() const {
  const fs::path list = folder_ / "distilled" / "read.txt";
  std::istringstream read(file_text(list).value_or(""));
  for (std::string hash; std::getline(read, hash);) {
    const std::string name = hash + ".case";
    if (!is_name(hash) || fs::exists(folder_ / "distilled" / name)) continue;
    std::error_code error;
    const fs::path kept = corpus_ / "distilled" / name;
    const auto wanted = fs::last_write_time(kept, error);
    if (!error && wanted < fs::last_write_time(list, error) && !error) fs::remove(kept, error);
  }
}

/// The case that failed last stands for its bucket: a simpler one may pass by now.
void Publication::keep_case(const std::string& id, const NightBucket& b,
                            const LedgerEntry* entry) const {
  if (b.bucket.case_file.empty() || !is_name(id)) return;
  const fs::path from = folder_ / b.bucket.case_file;
  const fs::path to = corpus_ / "failing" / id / "minimal.case.json";
  if (!fs::exists(from)) return;
  if (entry != nullptr && entry->last_seen > entry_id(night_) && fs::exists(to)) return;
  make_folder(to.parent_path());
  write_if_other(to, to_text(read_case(from)));
  if (fs::exists(account_of(from))) write_if_other(account_of(to), read_file(account_of(from)));
}

void Publication::failing_and_ledger() {
  LedgerFile ledger = read_ledger_file(corpus_);
  std::vector<std::string> minimal;
  for (const NightBucket& b : night_.buckets) {
    minimal.push_back(b.bucket.case_file.empty() ? std::string()
                                                 : hash_of(folder_ / b.bucket.case_file));
    if (!fails(b) || minimal.back().empty()) continue;
    const auto* known = find_entry(ledger.buckets, b.bucket, minimal.back());
    keep_case(known != nullptr ? known->first : b.bucket.id, b,
              known != nullptr ? &known->second : nullptr);
  }
  enter(ledger, night_, minimal);
  write_if_other(corpus_ / "ledger.json", to_json(ledger));
  drop_long_fixed(ledger.buckets);
}

void Publication::drop_long_fixed(const Ledger& ledger) const {
  std::vector<std::pair<std::string, fs::path>> fixed;
  for (const fs::path& bucket : entries(corpus_ / "failing")) {
    const auto entry = ledger.find(bucket.filename().string());
    if (entry != ledger.end() && entry->second.fixed)
      fixed.emplace_back(entry->second.fixed_in, bucket);
  }
  if (fixed.size() <= fixed_kept) return;
  std::sort(fixed.begin(), fixed.end());
  fixed.resize(fixed.size() - fixed_kept);
  std::error_code error;
  for (const auto& [night, bucket] : fixed) fs::remove_all(bucket, error);
}

}  // namespace

void publish(const fs::path& corpus, const Night& night, const fs::path& folder) {
  read_ledger_file(corpus);  // refuses a damaged one before anything is changed
  Publication publication(corpus, night, folder);
  publication.distilled();  // most of the work: others need not wait for it
  const FolderLock lock(corpus);
  publication.distilled();
  publication.drop_covered();
  publication.failing_and_ledger();
  append_history(corpus, night);
}

}  // namespace ulpfuzz::nightly
