#include <fmt/format.h>

#include <algorithm>

#include "shrink_report.hpp"

namespace ulpfuzz::tool {
namespace {

std::string sized(const char* label, const Case& c, const Verdict& v) {
  return fmt::format("{}: {}\n  {} ({}), share {:.4g}\n", label, describe(c), name(v.failure),
                     v.cause.empty() ? "no cause named" : v.cause, v.share);
}

/// Elements of all parameters and inputs.
std::size_t numbers(const Case& c) {
  std::size_t n = 0;
  for (const auto* tensors : {&c.parameters, &c.inputs})
    for (const Tensor& t : *tensors) n += t.data.size();
  return n;
}

/// Smallest case by share: what a person weighs who wants one that is clear and small.
std::string ladder_text(const std::vector<Rung>& ladder) {
  if (ladder.size() < 2) return {};
  std::string text = "smallest case by share:\n";
  for (const Rung& rung : ladder) {
    const Case& c = rung.least.value;
    text += fmt::format("  2^{:<3} {:>9.4g}  {} node{}, batch {}, {} number{}\n", rung.octave,
                        rung.least.verdict.share, c.network.nodes().size(),
                        c.network.nodes().size() == 1 ? "" : "s", c.batch(), numbers(c),
                        numbers(c) == 1 ? "" : "s");
  }
  return text;
}

std::string passes_text(const std::vector<PassCount>& passes, bool verbose) {
  std::string text;
  if (!verbose) {
    for (const PassCount& p : passes)
      if (p.accepted > 0)
        text += fmt::format("{}{} {}/{}", text.empty() ? "" : ", ", p.name, p.accepted, p.tried);
    return text.empty() ? text : fmt::format("accepted: {}\n", text);
  }
  for (const PassCount& p : passes)
    text += fmt::format("  {:<24} {:>6} tried {:>5} accepted\n", p.name, p.tried, p.accepted);
  return text;
}

std::string slips_text(const ShrinkReport& r) {
  std::string text;
  for (const auto& [bucket, slips] : r.slips.buckets())
    text += fmt::format("met on the way, another failure: {}\n  {}\n", bucket,
                        slips.front().found.verdict.reason);
  return text;
}

}  // namespace

std::string result_text(const ShrinkReport& r, bool verbose) {
  const ShrinkResult& s = r.result;
  std::string text = sized("before", r.given.value, s.before);
  text += sized("minimal", s.value, s.verdict);
  if (s.severe) text += sized("severe", s.severe->value, s.severe->verdict);
  text += ladder_text(s.ladder);
  if (s.neighbour) text += fmt::format("passes after one more edit: {}\n", s.neighbour->edit);
  text += fmt::format("{} evaluations{}, {} accepted, {:.1f} s: {}\n", s.evaluations,
                      s.recalled > 0 ? fmt::format(" ({} known from before)", s.recalled) : "",
                      s.accepted, s.seconds, name(s.stop));
  return text + passes_text(s.passes, verbose) + slips_text(r);
}

std::string account_text(const ShrinkReport& r) {
  std::string text = explain(r.property, r.result.value, r.subject, r.result.verdict);
  text.insert(0, 1, '\n');
  text += '\n';
  for (const Boundary& b : r.findings.boundaries) text += fmt::format("{}: {}\n", b.what, b.text);
  text += to_text(r.findings.dissection);
  if (!text.ends_with('\n')) text += '\n';
  if (!r.findings.unfinished.empty())
    text += fmt::format("what matters is not all known: {}\n", r.findings.unfinished);
  const auto written = [&](const char* what, const std::filesystem::path& path) {
    if (!path.empty()) text += fmt::format("{}{}\n", what, path.string());
  };
  written("written: ", r.files.minimal);
  written("written: ", r.files.severe);
  for (const auto& path : r.files.rungs) written("written: ", path);
  for (const auto& [bucket, paths] : r.files.slips)
    for (const auto& path : paths) written("written: ", path);
  if (!r.journal.empty())
    text +=
        fmt::format("journal: {}; the same command goes on there, with more to spend\n", r.journal);
  return text;
}

}  // namespace ulpfuzz::tool
