#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <sstream>
#include <system_error>
#include <utility>

#include "files.hpp"
#include "fuzzer_inputs.hpp"
#include "history.hpp"
#include "ledger.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/folder_lock.hpp"

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

  void add_distilled() const;
  void drop_covered() const;
  /// Of libFuzzer, a folder a target: as distilled cases.
  std::vector<fs::path> targets() const { return entries(folder_ / "fuzzing-kept"); }
  void add_inputs(const fs::path& target) const;
  void drop_inputs(const fs::path& target) const;
  void failing_and_ledger();
  void drop_leftovers() const;

 private:
  void keep_case(const std::string& id, const NightBucket& b, const LedgerEntry* entry) const;
  void drop_long_fixed(const Ledger& ledger) const;

  const fs::path corpus_, folder_;
  const Night& night_;
};

void Publication::add_distilled() const {
  for (const fs::path& file : entries(folder_ / "distilled")) {
    const fs::path kept = corpus_ / "distilled" / file.filename();
    if (file.extension() != ".case" || fs::exists(kept)) continue;
    make_folder(kept.parent_path());
    write_file_atomically(kept, read_file(file));  // synced, which what the night kept is not
  }
}

/// What the night read and did without: what it leaves has all its features. Other nights may have
/// left less than they wanted of it meanwhile; so has this one, and it has just added all that it
/// needs.
void Publication::drop_covered() const {
  std::istringstream read(file_text(folder_ / "distilled" / "read.txt").value_or(""));
  std::error_code error;
  for (std::string name; std::getline(read, name);)
    if (is_name(name) && !fs::exists(folder_ / "distilled" / (name + ".case")))
      fs::remove(corpus_ / "distilled" / (name + ".case"), error);
}

void Publication::add_inputs(const fs::path& target) const {
  for (const fs::path& file : entries(target)) {
    const fs::path kept = corpus_ / "fuzzing" / target.filename() / file.filename();
    if (file.extension() == ".tmp" || fs::exists(kept)) continue;
    nightly::copy_file(file, kept);  // unsynced: what a power cut leaves of one is an input, too
  }
}

/// There may be more than fuzzers have time to read: of it any part will do, but the same one
/// whatever order shards are merged in.
void Publication::drop_inputs(const fs::path& target) const {
  if (!fs::is_directory(target)) return;
  const fs::path kept = corpus_ / "fuzzing" / target.filename();
  std::istringstream read(file_text(target.string() + ".read.txt").value_or(""));
  std::error_code error;
  for (std::string name; std::getline(read, name);)
    if (is_name(name) && !fs::exists(target / name)) fs::remove(kept / name, error);
  std::vector<fs::path> all = entries(kept);
  // Other nights write theirs right now.
  std::erase_if(all, [](const fs::path& file) { return file.extension() == ".tmp"; });
  for (std::size_t i = most_inputs; i < all.size(); ++i) fs::remove(all[i], error);
}

/// Of processes that were killed while they wrote; those at work take seconds.
void Publication::drop_leftovers() const {
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  std::vector<fs::path> folders{corpus_, corpus_ / "distilled"};
  for (const char* room : {"failing", "fuzzing"})
    for (const fs::path& folder : entries(corpus_ / room)) folders.push_back(folder);
  std::error_code error;
  for (const fs::path& folder : folders)
    for (const fs::path& file : entries(folder))
      if (file.extension() == ".tmp" && fs::last_write_time(file, error) < old && !error)
        fs::remove(file, error);
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

/// Who has waited in vain is told of what went wrong before that, too.
FolderLock locked(const fs::path& corpus, const std::function<bool()>& hurry,
                  const std::exception_ptr& wrong) {
  try {
    return FolderLock(corpus, hurry);
  } catch (const FolderBusy& busy) {
    if (!wrong) throw;
    try {
      std::rethrow_exception(wrong);
    } catch (const std::exception& before) {
      throw FolderBusy(fmt::format("{}; {}", busy.what(), before.what()));
    }
  }
}

}  // namespace

void publish(const fs::path& corpus, const Night& night, const fs::path& folder,
             const std::function<bool()>& hurry) {
  read_ledger_file(corpus);  // refuses a damaged one before anything is changed
  Publication publication(corpus, night, folder);
  // Whatever is wrong with the cases, the ledger is to know of the night.
  std::exception_ptr wrong;
  const auto attempt = [&](const auto& part) {
    try {
      part();
    } catch (const std::exception&) {
      if (!wrong) wrong = std::current_exception();
    }
  };
  const auto of_each_target = [&](const auto& part) {
    attempt([&] {
      for (const fs::path& target : publication.targets()) attempt([&] { part(target); });
    });
  };
  // Most of the work: others need not wait for it.
  attempt([&] { publication.add_distilled(); });
  of_each_target([&](const fs::path& target) { publication.add_inputs(target); });
  const FolderLock lock = locked(corpus, hurry, wrong);
  publication.failing_and_ledger();
  append_history(corpus, night);
  attempt([&] { publication.add_distilled(), publication.drop_covered(); });
  of_each_target([&](const fs::path& target) {
    publication.add_inputs(target), publication.drop_inputs(target);
  });
  attempt([&] { publication.drop_leftovers(); });
  if (wrong) std::rethrow_exception(wrong);
}

}  // namespace ulpfuzz::nightly
