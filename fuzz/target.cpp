#include "target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>

#include "decode.hpp"
#include "feedback.hpp"
#include "findings.hpp"
#include "settings.hpp"
#include "statistics.hpp"
#include "ulpfuzz/subjects/registry.hpp"
#include "worst.hpp"

namespace ulpfuzz::fuzz {
namespace {

Registry all_subjects(const Settings& settings) {
  Registry registry = builtin_subjects();
  const auto is_fault = [](const std::string& glob) { return glob.starts_with("fault/"); };
  if (std::ranges::any_of(settings.subjects, is_fault)) registry.merge(planted_faults());
  return registry;
}

std::vector<const Subject*> on_trial(const Registry& registry, const Settings& settings) {
  std::vector<const Subject*> result = registry.select(settings.subjects);
  std::erase_if(result, [&](const Subject* s) {
    return s->unavailable() || (settings.subjects.empty() && s->name().starts_with("reference/"));
  });
  if (result.empty()) throw std::invalid_argument("no subject of ULPFUZZ_SUBJECTS can run here");
  return result;
}

class Target {
 public:
  explicit Target(Settings settings)
      : settings_(std::move(settings)),
        registry_(all_subjects(settings_)),
        subjects_(on_trial(registry_, settings_)),
        findings_(settings_.findings),
        statistics_(settings_.statistics),
        worst_(subjects_.size()) {}

  void run(std::span<const std::uint8_t> bytes) {
    begin_input();
    const Case c = decoded(bytes, target_limits());
    double share = 0, by_chance = 0;
    bool failed = false, news = false;
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      const Subject* subject = subjects_[i];
      const Verdict verdict = check(c, *subject);
      share = std::max(share, verdict.share);
      if (verdict.failed()) {
        failed = true;
        news = keep(c, *subject, verdict) || news;
        continue;
      }
      if (verdict.worst.tier == Tier::probabilistic) by_chance = std::max(by_chance, verdict.share);
      if (settings_.feedback) {
        feed_back(c, verdict, target_property().needs_gradient);
        worst_.offer(i, c, verdict);
      }
    }
    statistics_.count(share, by_chance, failed);
    if (news || (failed && !settings_.collect)) statistics_.write();
    if (!failed) return;
    if (!settings_.collect) end_of_target();
    forget_this_input();
  }

  std::vector<std::uint8_t> climbed(std::size_t most, std::uint64_t seed) {
    if (!settings_.feedback) return {};
    std::vector<std::uint8_t> bytes = encoded(worst_.next(seed, target_limits()));
    if (bytes.size() > most) bytes.clear();
    return bytes;
  }

  void finish() { statistics_.write(); }

 private:
  // What a subject throws is a finding already; this is for ulpfuzz itself.
  Verdict check(const Case& c, const Subject& subject) {
    try {
      return target_property().check(c, subject, {}, context_);
    } catch (const std::exception& error) {
      Verdict verdict;
      verdict.outcome = Outcome::fail;
      verdict.failure = FailureClass::exception;
      verdict.cause = "ulpfuzz";
      verdict.reason = error.what();
      return verdict;
    }
  }

  // Whether it is of a bucket that this run had not found.
  bool keep(const Case& c, const Subject& subject, const Verdict& verdict) {
    const std::string bucket = bucket_id(target_property(), subject, verdict);
    const bool news = buckets_.insert(bucket).second;
    if (news)
      fmt::print(stderr, "{}\nDEDUP_TOKEN: {}\n", explain(target_property(), c, subject, verdict),
                 bucket);
    const CaseFile file{c,
                        {{"property", std::string(target_property().name)},
                         {"subject", std::string(subject.name())},
                         {"class", std::string(name(verdict.failure))},
                         {"cause", verdict.cause}}};
    try {
      const auto path = findings_.keep(bucket, file, encoded(c).size());
      if (path && news) fmt::print(stderr, "the case is in {}\n", path->string());
    } catch (const FileError& error) {
      fmt::print(stderr, "{}\n", error.what());
    }
    return news;
  }

  Settings settings_;
  Registry registry_;
  std::vector<const Subject*> subjects_;
  CheckContext context_;
  Findings findings_;
  Statistics statistics_;
  Worst worst_;
  std::set<std::string> buckets_;
};

std::unique_ptr<Target> target;  // libFuzzer gives no other place to keep it

}  // namespace

void initialize() {
  try {
    target = std::make_unique<Target>(settings_from_environment());
    std::atexit([] { target->finish(); });
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "{}\n", error.what());
    std::exit(2);
  }
}

void run_one(std::span<const std::uint8_t> bytes) {
  if (!target) initialize();  // drivers that do not call LLVMFuzzerInitialize
  target->run(bytes);
}

std::vector<std::uint8_t> climbed(std::size_t most, std::uint64_t seed) {
  return target ? target->climbed(most, seed) : std::vector<std::uint8_t>();
}

}  // namespace ulpfuzz::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ulpfuzz::fuzz::run_one({data, size});
  return 0;
}
