#include "ulpfuzz/runner/shrink_guarded.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "shared_flag.hpp"
#include "shrink_known.hpp"
#include "shrink_messages.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/process.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;

constexpr double grace = 1;  // seconds that a candidate in hand has after a request to stop

/// Calls the caller back, once for each case, though a shrink that begins anew meets it again.
class Told {
 public:
  explicit Told(const GuardOptions& options) : options_(options) {}

  void accepted(const Case& c, const Verdict& verdict, std::uint64_t evaluations) {
    if (!accepted_.insert(content_hash(c)).second) return;
    if (options_.accepted) options_.accepted(c, verdict, evaluations);
    auto complexity = generators::complexity(c);
    if (simplest_ && !(complexity < complexity_)) return;
    simplest_ = Shrunk{c, verdict};
    complexity_ = std::move(complexity);
  }
  void slipped(const Case& c, const Verdict& verdict) {
    if (options_.slipped && slipped_.insert(content_hash(c)).second) options_.slipped(c, verdict);
  }
  /// If that is not what came of a run that was cut short.
  void improve(ShrinkResult& r) {
    if (!simplest_ || (r.verdict.failed() && !(complexity_ < generators::complexity(r.value))))
      return;
    r.value = simplest_->value;
    r.verdict = simplest_->verdict;
    r.accepted = std::max<std::uint64_t>(r.accepted, accepted_.size());
  }

 private:
  const GuardOptions& options_;
  std::unordered_set<std::string> accepted_, slipped_;
  std::optional<Shrunk> simplest_;
  std::vector<std::uint64_t> complexity_;
};

class Guard {
 public:
  Guard(const Case& c, const Property& property, const Subject& subject,
        const GuardOptions& options)
      : case_(c),
        property_(property),
        subject_(subject),
        options_(options),
        known_(options.memory),
        told_(options) {}

  ShrinkResult run() {
    ShrinkResult result;
    if (options_.isolate || !in_child(result))
      result = cancelled() || left() <= 0 ? recalled() : isolated();
    result.seconds = process::seconds_since(start_);
    return result;
  }

 private:
  bool cancelled() const { return options_.cancelled && options_.cancelled(); }
  double left() const { return options_.seconds - process::seconds_since(start_); }

  /// Options of a run of the engine in this process.
  ShrinkOptions inner(ShrinkMemory& memory) {
    ShrinkOptions o = options_;
    o.memory = &memory;
    o.seconds = std::max(0.0, left());
    o.accepted = [this](const Case& c, const Verdict& v, std::uint64_t n) {
      told_.accepted(c, v, n);
    };
    o.slipped = [this](const Case& c, const Verdict& v) { told_.slipped(c, v); };
    return o;
  }

  /// False if the child did not get to the end.
  bool in_child(ShrinkResult& result) {
    bool finished = false;
    ShrinkInbox inbox([&](ShrinkMessage message) {
      const std::string kind = message.head.at("m");
      if (kind == "record") {
        known_.record(message.head.at("h"), verdict_from_record(message.head.at("v")));
      } else if (kind == "accepted") {
        told_.accepted(message.cases.at(0), verdict_from(message.head.at("verdict")),
                       message.head.at("evaluations"));
      } else if (kind == "slipped") {
        told_.slipped(message.cases.at(0), verdict_from(message.head.at("verdict")));
      } else {
        result = result_from(std::move(message));
        finished = true;
      }
    });
    const SharedFlag stop;
    process::Clock::time_point asked;
    const auto give_up = [&] {
      if (!cancelled()) return false;
      if (!stop.raised()) asked = process::Clock::now();
      stop.raise();
      return process::seconds_since(asked) > grace;
    };
    const double patience = options_.case_timeout * std::max(1U, options_.confirmation.tried);
    process::run_isolated([&](int fd) { work(fd, stop); }, patience,
                          [&](std::string_view block) { inbox.add(block); }, give_up,
                          options_.memory_limit);
    return finished;
  }

  /// What the child does.
  void work(int fd, const SharedFlag& stop) {
    Relay relay(fd, known_);
    ShrinkOptions o = inner(relay);
    o.accepted = [&](const Case& c, const Verdict& verdict, std::uint64_t evaluations) {
      const Case* cases[] = {&c};
      process::write_all(
          fd,
          to_frame({{"m", "accepted"}, {"verdict", to_json(verdict)}, {"evaluations", evaluations}},
                   cases));
    };
    o.slipped = [&](const Case& c, const Verdict& verdict) {
      const Case* cases[] = {&c};
      process::write_all(fd, to_frame({{"m", "slipped"}, {"verdict", to_json(verdict)}}, cases));
    };
    auto last = process::Clock::now();
    o.cancelled = [&] {
      if (process::seconds_since(last) > 0.2) {
        last = process::Clock::now();
        process::write_all(fd, empty_frame());
      }
      return stop.raised() || cancelled();
    };
    bool out_of_memory = false;  // what the subject holds then would be missing ever after
    o.broken = [&] { return out_of_memory || subject_.broken(); };
    CheckContext context;
    const ShrinkResult r = shrink(
        case_,
        [&](const Case& c) {
          Verdict verdict = judge(property_, c, subject_, options_.check, context);
          out_of_memory = out_of_memory || verdict.failure == FailureClass::out_of_memory;
          return verdict;
        },
        o);
    // Else the parent goes on in other processes.
    if (r.stop != ShrinkStop::broken) process::write_all(fd, to_frame(r));
  }

  /// From the beginning: what is known costs nothing, and so the engine is soon where it was.
  ShrinkResult isolated() {
    ShrinkOptions o = inner(known_);
    o.cancelled = [this] { return cancelled(); };
    ShrinkResult r = shrink(
        case_,
        [this](const Case& c) {
          return judge_isolated(property_, c, subject_, options_.check, options_.case_timeout,
                                options_.cancelled, options_.memory_limit);
        },
        o);
    if (r.stop == ShrinkStop::time || r.stop == ShrinkStop::cancelled) told_.improve(r);
    return r;
  }

  /// What follows from all that is known, without judging anything.
  ShrinkResult recalled() {
    ShrinkOptions o = inner(known_);
    o.seconds = grace;
    bool at_the_end = false;
    o.cancelled = [&] { return at_the_end; };
    ShrinkResult r = shrink(
        case_,
        [&](const Case&) {
          at_the_end = true;
          Verdict v;
          v.outcome = Outcome::skip;
          v.reason = "interrupted";
          return v;
        },
        o);
    r.stop = cancelled() ? ShrinkStop::cancelled : ShrinkStop::time;
    told_.improve(r);
    return r;
  }

  const Case& case_;
  const Property& property_;
  const Subject& subject_;
  const GuardOptions& options_;
  Known known_;
  Told told_;
  process::Clock::time_point start_ = process::Clock::now();
};

}  // namespace

bool ends_processes(FailureClass failure) {
  return failure == FailureClass::crash || failure == FailureClass::hang ||
         failure == FailureClass::out_of_memory;
}

Confirmation usual_confirmation(const Subject& subject, std::string_view failure_class) {
  const bool varies =
      !subject.deterministic() || failure_class == name(FailureClass::nondeterministic);
  return varies ? Confirmation{3, 5} : Confirmation{};
}

ShrinkResult shrink_guarded(const Case& c, const Property& property, const Subject& subject,
                            const GuardOptions& options) {
  return Guard(c, property, subject, options).run();
}

}  // namespace ulpfuzz
