#include "ulpfuzz/probe/probe.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <memory>
#include <stdexcept>

#include "../output_file.hpp"
#include "../progress.hpp"
#include "../say.hpp"
#include "../verdict_json.hpp"
#include "probe_report.hpp"
#include "probe_run.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/judge.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/runner/signals.hpp"
#include "verbs.hpp"

namespace ulpfuzz::tool {
namespace {

struct Probe {
  std::string subject, claim, inner = "8,64", json;
  std::filesystem::path svg;
  ProbeGuard guard{.memory = usual_memory_limit, .cancelled = {}};
  probe::Options options;
};

std::vector<std::size_t> lengths(const std::string& text) {
  std::vector<std::size_t> all;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    all.push_back(static_cast<std::size_t>(
        parse_number("--inner", text.substr(start, end - start), 2, probe::most_inner)));
    start = end + 1;
  }
  return all;
}

/// "linear 64 -> 16, batch 1" -> "linear-64-16-batch-1"
std::string file_name(const std::string& where) {
  std::string name;
  for (const char c : where) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  return name;
}

bool make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return true;
  say(stderr,
      fmt::format("ulpfuzz: {}: {}; name another folder\n", folder.string(), error.message()));
  return false;
}

void write_drawings(const std::filesystem::path& folder, const probe::Report& report) {
  std::size_t number = 0;
  for (const OrderGroup& g : group_orders(report)) {
    if (!g.first->tree.revealed) continue;
    std::string title = fmt::format("{}: {}", report.subject, g.first->where);
    if (g.places.size() > 1) title += fmt::format(" and {} more", g.places.size() - 1);
    write_output(folder / fmt::format("{:02}-{}.svg", ++number, file_name(g.first->where)),
                 probe::to_svg(g.first->tree, title));
  }
}

nlohmann::json json_of(const probe::Report& report, const Subject& subject, const Probe& p,
                       bool interrupted, int code) {
  nlohmann::json j = probe_json(report);
  j["format"] = "ulpfuzz-probe";
  j["version"] = 1;
  j["environment"] = subject.environment();
  j["claim"] = p.claim;
  j["seed"] = p.options.seed;
  j["inner"] = p.options.inner;
  j["largest_batch"] = p.options.largest_batch;
  if (interrupted && report.claims_hold()) j["claims_hold"] = nullptr;  // it was not all asked
  j["interrupted"] = interrupted;
  j["exit_code"] = code;
  return j;
}

int run(Probe& p) {
  p.options.inner = lengths(p.inner);
  const Registry own = all_subjects();
  const Registry judged = p.claim.empty() ? Registry{} : judged_as(p.claim, own);
  const Subject& subject = one_subject(p.claim.empty() ? own : judged, p.subject);
  if (const auto why = subject.unavailable()) {
    say(stderr, fmt::format("ulpfuzz: subject {} is not available: {}\n", subject.name(), *why));
    return infrastructure;
  }
  const bool json_only = is_stdout(p.json);
  if (!p.json.empty() && !json_only && !can_write(p.json)) return infrastructure;
  if (!p.svg.empty() && !make_folder(p.svg)) return infrastructure;
  const SignalGuard signals;
  Progress progress(isatty(STDERR_FILENO) != 0, {});
  p.options.progress = [&](const std::string& text) { progress.show(text); };
  p.guard.cancelled = [&signals] { return signals.requests() > 0; };
  const probe::Report report = probe_guarded(subject, p.options, p.guard);
  progress.clear();
  const bool interrupted = signals.requests() > 0;
  const int code = !report.claims_hold() ? 1 : interrupted ? too_little : 0;
  answer(json_only ? stderr : stdout, probe_text(report, subject, p.claim, p.options, interrupted));
  if (interrupted) say(stderr, "ulpfuzz: interrupted; this is what was found so far\n");
  if (!write_json(p.json, dump(json_of(report, subject, p, interrupted, code)) + "\n"))
    return infrastructure;
  try {
    if (!p.svg.empty()) write_drawings(p.svg, report);
  } catch (const std::exception& error) {
    say(stderr, fmt::format("ulpfuzz: {}\n", error.what()));
    return infrastructure;
  }
  return code;
}

}  // namespace

void add_probe(CLI::App& app, int& code) {
  auto p = std::make_shared<Probe>();
  CLI::App* verb = app.add_subcommand(
      "probe", "What arithmetic a subject really uses, and in which order it sums");
  verb->add_option("subject", p->subject, "Subject (ulpfuzz list)")
      ->required()
      ->type_name("SUBJECT");
  add_claim(*verb, p->claim);
  verb->add_option("--inner", p->inner, "Lengths of the dot products whose order is revealed")
      ->type_name("N,N..")
      ->default_str(p->inner);
  add_number(*verb, "--largest-batch", p->options.largest_batch, "Batch sizes from 1 to this", 1,
             probe::most_batch)
      ->default_str(std::to_string(p->options.largest_batch));
  add_number(*verb, "--seed", p->options.seed, "Seed of the test vectors", 0, any_number)
      ->default_str(std::to_string(p->options.seed));
  verb->add_option("--svg", p->svg, "Folder for drawings of the orders")->type_name("DIR");
  verb->add_option("--json", p->json, "The report as JSON; - is stdout")->type_name("FILE");
  add_duration(*verb, "--timeout", p->guard.silence, "A subject that is silent for longer hangs")
      ->default_str("60s");
  add_memory(*verb, p->guard.memory);
  verb->footer(
      "Exit code 1: the subject breaks a claim, crashes, hangs or takes too much memory; 0: it "
      "keeps what it claims.\n"
      "Example:\n  ulpfuzz probe openblas --inner 8,64 --svg orders");
  verb->callback([p, &code] { code = run(*p); });
}

}  // namespace ulpfuzz::tool
