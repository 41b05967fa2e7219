#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "files.hpp"
#include "ledger.hpp"
#include "merge_bucket_files.hpp"
#include "merge_totals.hpp"
#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::nightly {
namespace fs = std::filesystem;
namespace {

using report::NightBucket;

/// Where a bucket's case is, and how simple.
struct Shown {
  fs::path file;  ///< relative to the folder of the merge
  bool minimal = false;
  std::string hash;
  std::vector<std::uint64_t> complexity;
  std::string description, boundary;

  auto key() const { return std::tuple(!minimal, complexity, hash, file); }
};

std::optional<Shown> shown_from(const fs::path& out, const fs::path& file) {
  try {
    const CaseFile c = read_case(out / file);
    const auto boundary = c.notes.find("boundary");
    return Shown{file,
                 file.filename() == "minimal.case.json",
                 content_hash(c.value),
                 generators::complexity(c.value),
                 describe(c.value),
                 boundary == c.notes.end() ? std::string() : boundary->second};
  } catch (const FileError&) {
    return {};
  }
}

/// The simplest case in a bucket's folder: the minimal one where there is one.
std::optional<Shown> simplest(const fs::path& out, const fs::path& folder) {
  std::error_code error;
  if (fs::exists(out / folder / "minimal.case.json", error))
    return shown_from(out, folder / "minimal.case.json");
  std::optional<Shown> best;
  Unreadable named_before;
  for (const fs::path& file : readable_entries(out / folder, named_before)) {
    if (!is_case_file(file)) continue;
    auto shown = shown_from(out, folder / file.filename());
    if (shown && (!best || shown->key() < best->key())) best = std::move(shown);
  }
  return best;
}

/// All that is told of one bucket id, by its nights.
struct Told {
  std::vector<const NightBucket*> by;  ///< in the order of nights
  std::uint64_t count = 0;
  std::optional<Shown> shown;
  std::size_t group = 0;
};
using AllTold = std::map<std::string, Told>;

AllTold told_of(const Nights& nights, const fs::path& out) {
  AllTold all;
  for (const auto& [id, night] : nights)
    for (const NightBucket& b : night.buckets) {
      if (b.state == report::BucketState::fixed) continue;
      Told& told = all[b.bucket.id];
      told.by.push_back(&b);
      told.count += b.bucket.count;
    }
  for (auto& [id, told] : all) {
    told.shown = simplest(out, fs::path("findings") / id);
    if (!told.shown) told.shown = simplest(out, fs::path("findings-flaky") / id);
  }
  return all;
}

bool are_one(const std::string& a, const Told& x, const std::string& b, const Told& y) {
  const auto names = [](const Told& told, const std::string& id) {
    return std::any_of(told.by.begin(), told.by.end(),
                       [&](const NightBucket* n) { return among(n->bucket.also, id); });
  };
  if (names(x, b) || names(y, a)) return true;
  const Bucket& p = x.by.front()->bucket;
  const Bucket& q = y.by.front()->bucket;
  return p.property == q.property && p.subject == q.subject && x.shown && y.shown &&
         x.shown->minimal && y.shown->minimal && x.shown->hash == y.shown->hash;
}

/// Gives those that are one the same number.
void group(AllTold& all) {
  std::size_t n = 0;
  for (auto& [id, told] : all) told.group = n++;
  for (auto a = all.begin(); a != all.end(); ++a)
    for (auto b = std::next(a); b != all.end(); ++b) {
      const std::size_t from = b->second.group, to = a->second.group;
      if (from == to || !are_one(a->first, a->second, b->first, b->second)) continue;
      for (auto& [id, told] : all)
        if (told.group == from) told.group = to;
    }
}

/// Which of those that are one it is called by: a named cause before none, frequent before rare.
bool leads(const AllTold::value_type* a, const AllTold::value_type* b) {
  const auto key = [](const AllTold::value_type* t) {
    const std::string& cause = t->second.by.front()->bucket.cause;
    return std::tuple(!cause.empty() && cause != "unexplained", t->second.count);
  };
  return key(a) != key(b) ? key(a) > key(b) : a->first < b->first;
}

void add(Bucket& to, const Bucket& b) {
  to.count += b.count;
  to.share = std::max(to.share, b.share);
  to.reproduced += b.reproduced;
  to.tried += b.tried;
  to.flaky = to.flaky && b.flaky;
  for (const std::string& id : b.also)
    if (id != to.id && !among(to.also, id)) to.also.push_back(id);
  if (b.id != to.id && !among(to.also, b.id)) to.also.push_back(b.id);
}

/// Only until a list of known ones is asked.
void take_owner(NightBucket& to, const NightBucket& b) {
  if (!to.owner.empty() || b.owner.empty()) return;
  to.owner = b.owner;
  to.until = b.until;
  to.comment = b.comment;
}

NightBucket united(const std::vector<const AllTold::value_type*>& members) {
  NightBucket all = *members.front()->second.by.front();
  const NightBucket* first = nullptr;
  std::optional<Shown> shown;
  all.bucket.count = all.bucket.reproduced = all.bucket.tried = 0;
  for (const auto* member : members) {
    for (const NightBucket* b : member->second.by) {
      add(all.bucket, b->bucket);
      take_owner(all, *b);
      if (first == nullptr || (first->bucket.flaky && !b->bucket.flaky)) first = b;
    }
    const auto& other = member->second.shown;
    if (other && (!shown || other->key() < shown->key())) shown = other;
  }
  std::sort(all.bucket.also.begin(), all.bucket.also.end());
  all.found_in = first->found_in;
  all.bucket.case_file = shown ? shown->file : fs::path();
  all.minimal = shown ? shown->description : "";
  all.boundary = shown ? shown->boundary : "";
  return all;
}

}  // namespace

std::vector<NightBucket> united_buckets(const Nights& nights, const fs::path& out) {
  AllTold all = told_of(nights, out);
  group(all);
  std::map<std::size_t, std::vector<const AllTold::value_type*>> groups;
  for (const auto& item : all) groups[item.second.group].push_back(&item);
  std::vector<NightBucket> buckets;
  for (auto& [number, members] : groups) {
    std::sort(members.begin(), members.end(), leads);
    buckets.push_back(united(members));
  }
  return buckets;
}

}  // namespace ulpfuzz::nightly
