#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "process.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/shrink_guarded.hpp"
#include "verdict_json.hpp"

namespace ulpfuzz {
namespace {

using nlohmann::json;

// A message is its length (8 bytes), JSON, a newline, and the case as a binary case file. Length 0
// says that the child is alive.
void send(int fd, json head, const Case& c) {
  const auto bytes = to_bytes(CaseFile{c, {}});
  std::string body = dump(head) + "\n";
  body.append(bytes.begin(), bytes.end());
  const std::uint64_t size = body.size();
  std::string message(sizeof size, '\0');
  std::memcpy(message.data(), &size, sizeof size);
  process::write_all(fd, message + body);
}

/// Puts messages together from blocks and keeps the last one.
class Inbox {
 public:
  explicit Inbox(ShrinkResult& result, const GuardOptions& options)
      : result_(result), options_(options) {}

  void add(std::string_view block) {
    pending_ += block;
    std::uint64_t size = 0;
    while (pending_.size() >= sizeof size) {
      std::memcpy(&size, pending_.data(), sizeof size);
      if (pending_.size() - sizeof size < size) return;
      if (size > 0) take(std::string_view(pending_).substr(sizeof size, size));
      pending_.erase(0, sizeof size + size);
    }
  }

  bool finished() const { return finished_; }

 private:
  void take(std::string_view body) {
    const std::size_t line = body.find('\n');
    const json head = json::parse(body.substr(0, line));
    const std::string_view bytes = body.substr(line + 1);
    result_.value =
        case_from_bytes({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                        "shrink child")
            .value;
    result_.verdict = verdict_from(head.at("verdict"));
    result_.before = verdict_from(head.at("before"));
    result_.evaluations = head.at("evaluations");
    finished_ = head.at("finished");
    if (finished_) {
      result_.accepted = head.at("accepted");
      result_.stop = static_cast<ShrinkStop>(head.at("stop").get<int>());
      return;
    }
    ++result_.accepted;
    if (options_.accepted) options_.accepted(result_.value, result_.verdict, result_.evaluations);
  }

  ShrinkResult& result_;
  const GuardOptions& options_;
  std::string pending_;
  bool finished_ = false;
};

json head_of(const Verdict& verdict, const Verdict& before, std::uint64_t evaluations) {
  return {{"verdict", to_json(verdict)},
          {"before", to_json(before)},
          {"evaluations", evaluations},
          {"finished", false}};
}

ShrinkResult shrink_here(const Case& c, const Property& property, const Subject& subject,
                         const GuardOptions& options) {
  if (options.isolate)
    return shrink(
        c,
        [&](const Case& candidate) {
          return judge_isolated(property, candidate, subject, options.check, options.case_timeout,
                                options.cancelled);
        },
        options);
  CheckContext context;
  GuardOptions inner = options;
  inner.broken = [&subject] { return subject.broken(); };
  return shrink(
      c,
      [&](const Case& candidate) {
        return judge(property, candidate, subject, options.check, context);
      },
      inner);
}

void shrink_in_child(int fd, const Case& c, const Property& property, const Subject& subject,
                     const GuardOptions& options) {
  Verdict before;
  GuardOptions inner = options;
  inner.accepted = [&](const Case& value, const Verdict& verdict, std::uint64_t evaluations) {
    send(fd, head_of(verdict, before, evaluations), value);
  };
  auto last = process::Clock::now();
  inner.cancelled = [&] {
    if (process::seconds_since(last) > 0.2) {
      last = process::Clock::now();
      process::write_all(fd, std::string(sizeof(std::uint64_t), '\0'));
    }
    return options.cancelled && options.cancelled();
  };
  {
    // A case that takes the process along says so here, before anything was accepted.
    CheckContext context;
    before = judge(property, c, subject, options.check, context);
  }
  if (subject.broken()) return;
  const ShrinkResult r = shrink_here(c, property, subject, inner);
  if (r.stop == ShrinkStop::broken) return;  // the parent goes on in other processes
  json head = head_of(r.verdict, r.before, r.evaluations);
  head["finished"] = true;
  head["accepted"] = r.accepted;
  head["stop"] = static_cast<int>(r.stop);
  send(fd, head, r.value);
}

}  // namespace

ShrinkResult shrink_guarded(const Case& c, const Property& property, const Subject& subject,
                            const GuardOptions& options) {
  if (options.isolate) return shrink_here(c, property, subject, options);
  const auto start = process::Clock::now();
  ShrinkResult result;
  result.value = c;
  Inbox inbox(result, options);
  process::run_isolated([&](int fd) { shrink_in_child(fd, c, property, subject, options); },
                        options.seconds + options.case_timeout,
                        [&](std::string_view block) { inbox.add(block); }, options.cancelled);
  if (!inbox.finished() && options.cancelled && options.cancelled()) {
    result.stop = ShrinkStop::cancelled;
  } else if (!inbox.finished()) {
    GuardOptions rest = options;
    rest.isolate = true;
    rest.evaluations = options.evaluations - std::min(options.evaluations, result.evaluations);
    rest.evaluations = std::max<std::uint64_t>(rest.evaluations, 1);
    rest.seconds = std::max(0.0, options.seconds - process::seconds_since(start));
    const ShrinkResult before = result;
    result = shrink_here(before.value, property, subject, rest);
    result.evaluations += before.evaluations;
    if (before.accepted > 0) result.before = before.before;
    result.accepted += before.accepted;
  }
  result.seconds = process::seconds_since(start);
  return result;
}

}  // namespace ulpfuzz
