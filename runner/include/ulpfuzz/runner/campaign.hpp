#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "ulpfuzz/generators/generate.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz {

/// What `ulpfuzz run` does.
struct CampaignOptions {
  std::vector<std::string> subjects;    ///< globs; empty: all available
  std::vector<std::string> properties;  ///< globs; empty: all
  std::uint64_t seed = 0;
  double seconds = 0;              ///< stop after this time; 0: no limit
  std::uint64_t cases = 0;         ///< stop after this many (over all properties and subjects); 0: no limit
  unsigned jobs = 1;               ///< worker processes
  std::filesystem::path out;       ///< report folder; empty: a fresh folder under ulpfuzz-out/
  double case_timeout = 20;        ///< seconds after which a subject hangs
  std::uint64_t shrink_evaluations = 3000;
  double shrink_seconds = 30;      ///< budget of one shrink
  CheckOptions check;
  generators::Limits limits;
  bool progress = false;           ///< progress line on stderr
};

struct Bucket {
  std::string id, property, subject, failure_class, cause, first_op, reason;
  std::uint64_t count = 0;
  double share = 0;
  std::filesystem::path case_file;  ///< smallest case
};

struct CampaignResult {
  std::uint64_t cases = 0;
  std::uint64_t elements = 0;
  double seconds = 0;
  std::map<std::string, std::uint64_t> verdicts;  ///< pass, fail, vacuous, skip
  std::vector<Bucket> buckets;
  std::map<std::string, double> time;             ///< generate, evaluate, bound, other
  std::map<std::string, std::map<std::string, double>> share_max;  ///< property -> subject -> share
  std::filesystem::path out;
  bool interrupted = false;
  int exit_code() const;
};

/// Fuzzes. Worker processes do the work, so that a crash or a hang of a subject is a finding. Each
/// failure is on disk before the next case runs. Throws for misuse and for an unusable `out`.
CampaignResult run_campaign(const CampaignOptions& options, const Registry& subjects);

}  // namespace ulpfuzz
