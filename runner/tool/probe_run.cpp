#include "probe_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "probe_report.hpp"
#include "ulpfuzz/runner/json_text.hpp"
#include "ulpfuzz/runner/process.hpp"

namespace ulpfuzz::tool {
namespace {

/// How one part ended: its report, or what it was trying when its process ended.
struct PartResult {
  std::optional<probe::Report> report;
  std::string trying, error;
  process::Ending ending;
};

// Messages are lines: P and what is tried, R and the report, E and an error.
class Inbox {
 public:
  Inbox(PartResult& result, const std::function<void(const std::string&)>& progress)
      : result_(result), progress_(progress) {}

  void add(std::string_view block) {
    pending_ += block;
    std::size_t start = 0;
    for (std::size_t end; (end = pending_.find('\n', start)) != std::string::npos; start = end + 1)
      take(std::string_view(pending_).substr(start, end - start));
    pending_.erase(0, start);
  }

 private:
  void take(std::string_view line) {
    if (line.empty()) return;
    const std::string_view rest = line.substr(1);
    if (line.front() == 'P') {
      result_.trying = rest;
      if (progress_) progress_(result_.trying);
    }
    if (line.front() == 'R') result_.report = probe_report_from(nlohmann::json::parse(rest));
    if (line.front() == 'E') result_.error = rest;
  }

  PartResult& result_;
  const std::function<void(const std::string&)>& progress_;
  std::string pending_;
};

PartResult run_part(const Subject& subject, const probe::Options& options, std::string_view part,
                    const ProbeGuard& guard) {
  PartResult result;
  Inbox inbox(result, options.progress);
  const auto work = [&](int fd) {
    probe::Options inner = options;
    inner.progress = [fd, &subject](const std::string& text) {
      // What was tried before broke it: nothing that follows here would be its answer.
      if (subject.broken())
        throw std::runtime_error(fmt::format("{} is unusable in its process", subject.name()));
      process::write_all(fd, "P" + text + "\n");
    };
    try {
      const probe::Report report = probe::probe(subject, inner, part);
      process::write_all(fd, "R" + dump(probe_json(report)) + "\n");
    } catch (const std::exception& error) {
      process::write_all(fd, fmt::format("E{}\n", error.what()));
    }
  };
  result.ending = process::run_isolated(
      work, guard.silence, [&](std::string_view block) { inbox.add(block); }, guard.cancelled,
      guard.memory);
  return result;
}

/// "linear 8 -> 16, batch 4" -> 4
std::size_t batch_in(std::string_view text) {
  constexpr std::string_view word = "batch ";
  const std::size_t at = text.rfind(word);
  if (at == std::string_view::npos) return 0;
  std::size_t batch = 0;
  const std::string_view digits = text.substr(at + word.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), batch);
  return batch;
}

probe::Finding finding_of(const PartResult& r, std::string_view part) {
  const std::string what = r.trying.empty() ? std::string(part) : r.trying;
  if (!r.error.empty()) return {what, "exception", r.error, true};
  using How = process::Ending::How;
  const char* kind = r.ending.how == How::timed_out ? "hang"
                     : r.ending.how == How::grown   ? "out_of_memory"
                                                    : "crash";
  return {what, kind, "the subject's process " + process::describe(r.ending), true};
}

/// Batch sizes first: they say what the other parts may ask.
std::vector<std::string_view> in_order() {
  std::vector<std::string_view> all(probe::parts().begin(), probe::parts().end());
  std::rotate(all.begin(), all.end() - 1, all.end());
  return all;
}

}  // namespace

probe::Report probe_guarded(const Subject& subject, const probe::Options& options,
                            const ProbeGuard& guard) {
  probe::Options rest = options;
  probe::Report report;
  report.subject = subject.name();
  constexpr int most_tries = 3;
  for (const std::string_view part : in_order()) {
    for (int tries = 0; tries < most_tries && !guard.cancelled(); ++tries) {
      PartResult r = run_part(subject, rest, part, guard);
      if (r.report) probe::append(report, std::move(*r.report));
      if (r.report || guard.cancelled()) break;
      report.findings.push_back(finding_of(r, part));
      const std::size_t batch = batch_in(r.trying);
      if (batch < 2 || batch > rest.largest_batch) break;
      rest.largest_batch = batch - 1;
    }
  }
  return report;
}

}  // namespace ulpfuzz::tool
