#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "shrink_messages.hpp"
#include "ulpfuzz/runner/process.hpp"
#include "ulpfuzz/shrink/shrink.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {

/// What was judged so far, in this process or in a child, on top of what the caller remembers.
class Known final : public ShrinkMemory {
 public:
  explicit Known(ShrinkMemory* caller) : caller_(caller) {}

  std::optional<Verdict> recall(const std::string& hash) override {
    const auto at = verdicts_.find(hash);
    if (at != verdicts_.end()) return at->second;
    return caller_ == nullptr ? std::nullopt : caller_->recall(hash);
  }

  void record(const std::string& hash, const Verdict& verdict) override {
    // What judge_isolated() says when it is told to stop is no answer.
    if (verdict.outcome == Outcome::skip && verdict.reason == "interrupted") return;
    verdicts_[hash] = verdict;
    if (caller_ != nullptr) caller_->record(hash, verdict);
  }

 private:
  ShrinkMemory* caller_;
  std::unordered_map<std::string, Verdict> verdicts_;
};

/// In the child: knows what the parent knew, and tells it what is new.
class Relay final : public ShrinkMemory {
 public:
  Relay(int fd, Known& known) : fd_(fd), known_(known) {}
  std::optional<Verdict> recall(const std::string& hash) override { return known_.recall(hash); }
  void record(const std::string& hash, const Verdict& verdict) override {
    process::write_all(fd_, to_frame({{"m", "record"}, {"h", hash}, {"v", to_record(verdict)}}));
  }

 private:
  int fd_;
  Known& known_;
};

}  // namespace ulpfuzz
