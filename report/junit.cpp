#include <fmt/format.h>

#include <map>

#include "html_files.hpp"
#include "junit_document.hpp"
#include "ulpfuzz/network/case.hpp"
#include "ulpfuzz/report/reports.hpp"
#include "words.hpp"

namespace ulpfuzz::report {
namespace {

std::string property_line(const char* name, const std::string& value) {
  return value.empty() ? value : fmt::format("[[PROPERTY|{}={}]]\n", name, one_line(value, 1000));
}

std::string properties_of(const NightBucket& b, const page::BucketFiles& files) {
  std::string text = property_line("bucket", b.bucket.id);
  text += property_line("state", std::string(name(b.state)));
  text += property_line("share", share_text(b.bucket.share));
  text += property_line("count", std::to_string(b.bucket.count));
  text += property_line("class", b.bucket.failure_class);
  text += property_line("cause", b.bucket.cause);
  if (files.smallest) text += property_line("hash", content_hash(files.smallest->value));
  text += property_line("command", replay_command(b));
  text += property_line("first_seen", b.first_seen);
  return text + property_line("owner", b.owner);
}

std::string facts_of(const NightBucket& b, const page::BucketFiles& files) {
  std::string text;
  const auto add = [&text](const char* key, const std::string& value) {
    if (!value.empty()) text += fmt::format("{:<10} {}\n", key, value);
  };
  add("reason", b.bucket.reason);
  add("class", b.bucket.failure_class);
  add("cause", b.bucket.cause);
  add("first op", b.bucket.first_op);
  add("share", share_text(b.bucket.share));
  add("seen", counted(b.bucket.count, "time"));
  if (b.bucket.tried > 0)
    add("repeated",
        fmt::format("failed again in {} of {} runs", b.bucket.reproduced, b.bucket.tried));
  add("met in", b.bucket.met_in);
  add("smallest", b.minimal);
  add("boundary", b.boundary);
  add("comment", b.comment);
  add("replay", replay_command(b));
  return files.account.empty() ? text : text + "\n" + files.account;
}

void add_bucket(JunitDocument::Suite& suite, const NightBucket& b,
                const std::filesystem::path& folder) {
  page::BucketFiles files;
  if (!folder.empty()) files = page::read_files(b, folder);
  auto test = suite.test("ulpfuzz.buckets." + b.bucket.property, b.bucket.id);
  const std::string facts = facts_of(b, files);
  if (wants_attention(b.state))
    test.fail(b.bucket.failure_class, fmt::format("{}: {}", state_text(b), b.bucket.reason), facts);
  else if (b.state == BucketState::known)
    test.skip(state_text(b) + (b.comment.empty() ? "" : ": " + b.comment));
  test.say(
      fmt::format("{}{}", properties_of(b, files),
                  wants_attention(b.state) ? "" : fmt::format("{}\n{}", state_text(b), facts)));
}

/// A property on a subject fails if any of its buckets does: those say how.
void add_pair(JunitDocument::Suite& suite, const PairCounts& p, const Night& night) {
  const double part =
      night.cases == 0 ? 0 : static_cast<double>(p.cases) / static_cast<double>(night.cases);
  auto test = suite.test("ulpfuzz." + p.property, p.subject, night.seconds * part);
  std::string red, known;
  for (const NightBucket& b : night.buckets) {
    if (b.bucket.property != p.property || b.bucket.subject != p.subject) continue;
    if (wants_attention(b.state)) red += b.bucket.id + "\n";
    if (b.state == BucketState::known) known += b.bucket.id + "\n";
  }
  if (!red.empty())
    test.fail("buckets", "fails; each bucket is a test case of its own", red);
  else if (p.pass + p.fail == 0)
    test.skip("no case was judged");
  else if (!known.empty())
    test.skip("known failures: " + known);
  test.say(fmt::format("{}, pass {}, fail {}, vacuous {}, skip {}, {}, worst share {}\n",
                       counted(p.cases, "case"), p.pass, p.fail, p.vacuous, p.skip,
                       counted(p.elements, "element"), share_text(p.share_max)));
}

void add_phases(JunitDocument::Suite& suite, const Night& night) {
  for (const Phase& p : night.phases) {
    auto test = suite.test("ulpfuzz.phases", p.name, p.seconds);
    if (p.state == Phase::State::failed)
      test.error(p.name, "failed: " + p.note, p.note);
    else if (p.state == Phase::State::skipped || p.state == Phase::State::not_begun)
      test.skip(fmt::format("{}: {}", name(p.state), p.note));
    test.say(fmt::format("{}, {} in {}; {}\n", name(p.state), counted(p.cases, "case"),
                         clock_text(p.seconds), p.note));
  }
}

void add_night(JunitDocument& document, const Night& night) {
  auto suite = document.suite("ulpfuzz.night");
  suite.property("night", night.id);
  suite.property("headline", headline(night));
  suite.property("seed", std::to_string(night.seed));
  suite.property("exit_code", night.running ? "" : std::to_string(night.exit_code));
  suite.property("environment", describe(night.environment));
  add_phases(suite, night);
  auto infrastructure = suite.test("ulpfuzz.night", "infrastructure");
  std::string errors;
  for (const std::string& error : night.errors) errors += error + "\n";
  if (!errors.empty()) infrastructure.error("infrastructure", night.errors.front(), errors);
  auto over = suite.test("ulpfuzz.night", "over");
  if (night.running) over.error("running", "the night is not over, or was killed", "");
  auto enough = suite.test("ulpfuzz.night", "enough");
  if (night.exit_code == 5 && !night.running) enough.error("too little", why_too_little(night), "");
}

const NightBucket* find_bucket(const Night& night, const std::string& id) {
  for (const NightBucket& b : night.buckets)
    if (b.bucket.goes_by(id)) return &b;
  return nullptr;
}

void add_regressions(JunitDocument& document, const Night& night) {
  if (night.regressions.empty()) return;
  auto suite = document.suite("ulpfuzz.regressions");
  for (const auto& [file, outcome] : night.regressions) {
    auto test = suite.test("ulpfuzz.regressions", file);
    if (outcome == "pass") continue;
    const NightBucket* bucket = find_bucket(night, outcome);
    if (outcome == "skip")
      test.skip("nothing judged it here");
    else if (bucket == nullptr || wants_attention(bucket->state))
      test.fail("regression", "fails: " + outcome, "its bucket is a test case of its own\n");
    else if (bucket->state == BucketState::known)
      test.skip(fmt::format("fails: {}: {}", outcome, state_text(*bucket)));
    else
      test.say(fmt::format("{}: {}\n", outcome, state_text(*bucket)));
  }
}

}  // namespace

std::string to_junit(const Night& night, const std::filesystem::path& folder) {
  JunitDocument document(night.date);
  add_night(document, night);
  add_regressions(document, night);
  std::map<std::string, std::pair<std::vector<const PairCounts*>, std::vector<const NightBucket*>>>
      properties;
  for (const PairCounts& p : night.pairs) properties[p.property].first.push_back(&p);
  for (const NightBucket& b : night.buckets) properties[b.bucket.property].second.push_back(&b);
  for (const auto& [property, parts] : properties) {
    auto suite = document.suite("ulpfuzz." + property);
    for (const PairCounts* p : parts.first) add_pair(suite, *p, night);
    for (const NightBucket* b : parts.second) add_bucket(suite, *b, folder);
  }
  return document.text(night.seconds);
}

}  // namespace ulpfuzz::report
