#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "budget.hpp"
#include "files.hpp"
#include "phases.hpp"
#include "planted.hpp"

namespace ulpfuzz::nightly {
namespace {

/// Evaluators of ulpfuzz itself, not libraries on trial: if one of these fails, ulpfuzz is wrong.
constexpr std::array good{"reference/fp64", "loops", "simt/batch-invariant"};
/// One of them, that would take four fifths of the time for its share of the cases.
constexpr std::array slow{"reference/dd"};

/// Half of them of each property: one in eight is missed with 0.875^168 = 2e-10.
constexpr std::uint64_t cases_a_fault = 336;
/// Seconds, whatever was asked: a busy machine must not make a good subject look bad.
constexpr double patience = 30;
constexpr std::uint64_t most_good_cases = 384;
constexpr std::uint64_t least_good_cases = 64;
constexpr std::uint64_t slow_cases = 16;

CampaignOptions quiet(Session& session, std::uint64_t k) {
  CampaignOptions o;
  o.seed = session.seed_of("self-check", k);
  o.jobs = session.options().jobs;
  o.case_timeout = std::max(patience, session.options().case_timeout);
  o.memory_limit = session.options().memory_limit;
  o.shrink_evaluations = 0;
  return o;
}

/// A reason for distrust, or nothing.
std::string are_silent(Session& session, std::span<const char* const> names, std::uint64_t cases,
                       std::uint64_t k) {
  CampaignOptions o = quiet(session, k);
  for (const char* name : names)
    if (session.subjects().find(name) != nullptr) o.subjects.emplace_back(name);
  if (o.subjects.empty()) return {};
  o.cases = cases;
  const CampaignResult r = session.campaign("self-check", o, Fold::nothing);
  if (session.stopping()) return {};
  if (!r.buckets.empty()) {
    const Bucket& b = r.buckets.front();
    return fmt::format("{}, a good subject, fails {}: {} ({})", b.subject, b.property, b.reason,
                       b.case_file.string());
  }
  if (r.cases < o.cases)
    return fmt::format("good subjects were tried on {} cases, not on {}", r.cases, o.cases);
  return r.too_little();
}

std::string good_are_silent(Session& session) {
  if (std::none_of(good.begin(), good.end(),
                   [&](const char* name) { return session.subjects().find(name) != nullptr; }))
    return "there is no good subject to check with";
  const std::uint64_t asked = session.options().cases;
  const std::uint64_t cases =
      asked == 0 ? most_good_cases : std::clamp(asked, least_good_cases, most_good_cases);
  const std::string wrong = are_silent(session, good, cases, 0);
  return wrong.empty() ? are_silent(session, slow, slow_cases, planted.size() + 1) : wrong;
}

/// A wrong number may be a NaN where none should be.
bool shows(const Bucket& b, const Planted& fault) {
  if (b.subject != fault.subject || b.flaky) return false;
  return b.failure_class == name(fault.failure) ||
         (fault.failure == FailureClass::beyond_bound &&
          b.failure_class == name(FailureClass::nonfinite_mismatch));
}

bool is_caught(Session& session, const Planted& fault, std::uint64_t k) {
  CampaignOptions o = quiet(session, k);
  o.subjects = {fault.subject};
  o.cases = cases_a_fault;
  o.fail_fast = true;
  o.jobs = 1;  // several end at the first failure after as many cases as they happen to have tried
  const CampaignResult r = session.campaign("self-check", o, Fold::nothing);
  return std::any_of(r.buckets.begin(), r.buckets.end(),
                     [&](const Bucket& b) { return shows(b, fault); });
}

std::string faults_are_caught(Session& session) {
  std::uint64_t k = 0;
  for (const Planted& fault : planted) {
    if (session.subjects().find(fault.subject) == nullptr)
      return fmt::format("{} is not there to be caught", fault.subject);
    if (is_caught(session, fault, ++k)) continue;
    if (session.stopping()) return {};
    return fmt::format("{}, made wrong on purpose, was not caught as {} in {} cases", fault.subject,
                       name(fault.failure), cases_a_fault);
  }
  return {};
}

/// Nobody shall take them for findings of the night.
void forget_planted_findings(const Session& session) {
  std::error_code error;
  for (const auto& part : entries(session.options().out / "parts"))
    if (part.filename().string().find("-self-check") != std::string::npos)
      for (const char* room : {"findings", "findings-flaky"})
        std::filesystem::remove_all(part / room, error);
}

}  // namespace

bool self_check(Session& session) {
  report::Phase& p = session.phase("self-check");
  if (p.state == report::Phase::State::done) return true;
  p.budget = part_of_self_check * session.options().seconds;
  session.say("self-check: good subjects must be silent, planted faults be caught");
  std::string wrong = good_are_silent(session);
  if (wrong.empty()) wrong = faults_are_caught(session);
  if (session.stopping()) {
    p.state = report::Phase::State::cut;
    return true;
  }
  if (wrong.empty()) {
    p.state = report::Phase::State::done;
    forget_planted_findings(session);
    add_note(p, fmt::format("good subjects silent, {} planted faults caught", planted.size()));
    return session.night().errors.empty();
  }
  p.state = report::Phase::State::failed;
  add_note(p, wrong);
  session.error(fmt::format("self-check: {}; no verdict of this night can be trusted", wrong));
  return false;
}

}  // namespace ulpfuzz::nightly
