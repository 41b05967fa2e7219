#pragma once

#include <fmt/format.h>
#include <rapidcheck.h>

#include "night_folders.hpp"

/// Shards of a night as RapidCheck draws them.
namespace ulpfuzz::nights {

/// Names of files that are not the same in both.
inline std::vector<std::string> differing(const std::map<std::string, std::string>& a,
                                          const std::map<std::string, std::string>& b) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : a)
    if (b.count(name) == 0 || b.at(name) != bytes) names.push_back(name);
  for (const auto& [name, bytes] : b)
    if (a.count(name) == 0) names.push_back(name);
  return names;
}

inline std::uint64_t draw(std::uint64_t below) {
  return *rc::gen::resize(100, rc::gen::inRange<std::uint64_t>(0, below));
}

inline PairCounts random_pair(const std::string& subject) {
  PairCounts p;
  p.property = "batched_vs_sliced";
  p.subject = subject;
  p.pass = draw(100);
  p.fail = draw(10);
  p.cases = p.pass + p.fail;
  p.elements = draw(1000);
  p.share_max = 1.0 / static_cast<double>(1 + draw(50));
  p.shares[3] = draw(100);
  p.rare = draw(2) == 1;
  return p;
}

/// Of few buckets and few cases, so that shards meet in them.
inline report::NightBucket random_bucket(const std::filesystem::path& folder,
                                         const std::string& id) {
  report::NightBucket b = bucket(id, 1 + draw(5));
  b.bucket.flaky = draw(5) == 0;
  b.bucket.reproduced = b.bucket.flaky ? 0 : 3;
  b.bucket.share = static_cast<double>(1 + draw(9));
  if (draw(4) == 0) b.bucket.also = {"bucket-0"};
  for (std::uint64_t i = draw(7); i > 0; --i) put_finding(folder, b, draw(15));
  if (draw(3) > 0) {
    const std::uint64_t i = draw(6);
    put_finding(folder, b, i, "minimal");
    put(folder / b.bucket.case_file.parent_path() / "repro.cpp",
        "// " + content_hash(small_case(i)));
  }
  return b;
}

inline void put_cases(const std::filesystem::path& folder, std::uint64_t count) {
  std::filesystem::create_directories(folder);
  for (; count > 0; --count) {
    const Case c = small_case(draw(12));
    // A case may have been kept for two subjects.
    write_case(folder / (content_hash(c) + ".case"),
               {c, {{"subject", draw(2) == 0 ? "openblas" : "loops"}}});
  }
}

/// Shard `i` of `count`, in `folder` as `ulpfuzz nightly` leaves it.
inline report::Night random_shard(const std::filesystem::path& folder, std::size_t i,
                                  std::size_t count) {
  report::Night n = night(fmt::format("20261101T0200{:02}Z-7-shard{}of{}", draw(3), i, count));
  n.pairs.clear();
  for (const char* subject : {"openblas", "loops", "simd"})
    if (draw(3) > 0) n.pairs.push_back(random_pair(subject));
  n.cases = draw(10000);
  n.elements = draw(10000);
  n.seconds = 1.0 / static_cast<double>(3 + draw(50));
  n.verdicts = {{"pass", draw(100)}, {"fail", draw(100)}};
  n.statistics.ops[2] = draw(100);
  n.stability = 1.0 / static_cast<double>(1 + draw(3));
  for (const char* phase : {"random", "search"}) {
    report::Phase p;
    p.name = phase;
    p.state = static_cast<report::Phase::State>(draw(5));
    p.note = fmt::format("note {}", draw(3));
    n.phases.push_back(p);
  }
  for (const char* phase : {"random", "search"})
    for (std::uint64_t k = 0; k < 3; ++k) {
      report::Sample s{phase, {}};
      s.line.seconds = static_cast<double>(k) + static_cast<double>(draw(10)) / 10;
      s.line.cases = 10 * k + draw(10);
      s.line.climbing = 1.0 / static_cast<double>(1 + draw(5));
      s.line.share["batched_vs_sliced"]["sound"] = 1.0 / static_cast<double>(1 + draw(5));
      n.over_time.push_back(std::move(s));
    }
  for (std::uint64_t b = 0; b < 4; ++b)
    if (draw(2) == 1) n.buckets.push_back(random_bucket(folder, fmt::format("bucket-{}", b)));
  if (draw(4) == 0) n.errors = {"a disk was full"};
  put_cases(folder / "corpus", draw(6));
  put_cases(folder / "distilled", draw(3));
  put_night(folder, n);
  return n;
}

}  // namespace ulpfuzz::nights
