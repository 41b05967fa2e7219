#include "fuzz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::fuzz {
namespace {

// A thermometer of the largest share, four marks an octave from 2^-12 on, that libFuzzer reads
// beside its code coverage: each rise is a new feature.
constexpr std::size_t marks = 64;
__attribute__((section("__libfuzzer_extra_counters"))) std::uint8_t thermometer[marks];

void feed_back(double share) {
  if (!(share > 0)) return;
  const double level = 4 * std::log2(share * 4096);
  for (std::size_t i = 0; i < marks && static_cast<double>(i) <= level; ++i) thermometer[i] = 1;
}

void report(const Property& property, const Case& c, const Subject& subject,
            const Verdict& verdict) {
  const std::string bucket = bucket_id(property, subject, verdict);
  const std::string path = bucket + "-" + content_hash(c) + ".case.json";
  fmt::print(stderr, "{}\nDEDUP_TOKEN: {}\n", explain(property, c, subject, verdict), bucket);
  try {
    write_case(path, {c,
                      {{"property", std::string(property.name)},
                       {"subject", std::string(subject.name())},
                       {"class", std::string(name(verdict.failure))},
                       {"cause", verdict.cause}}});
    fmt::print(stderr, "the case is in {}\n", path);
  } catch (const FileError& e) {
    fmt::print(stderr, "{}\n", e.what());
  }
}

bool on_trial(const Subject& subject) {
  return !subject.name().starts_with("reference/") && !subject.unavailable();
}

}  // namespace

std::optional<Case> case_of(std::span<const std::uint8_t> bytes, const generators::Limits& limits) {
  if (bytes.empty() || bytes.front() != '{') return generators::case_from_fuzzer(bytes, limits);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    return case_from_text(text, "fuzzer input", ULPFUZZ_SEEDS).value;
  } catch (const FileError&) {
    return std::nullopt;
  }
}

void abort_on_failure(const Property& property, const Case& c) {
  static const Registry subjects = builtin_subjects();
  static CheckContext context;
  double share = 0;
  for (const Subject* subject : subjects.all()) {
    if (!on_trial(*subject)) continue;
    const Verdict verdict = property.check(c, *subject, {}, context);
    share = std::max(share, verdict.share);
    if (!verdict.failed()) continue;
    report(property, c, *subject, verdict);
    std::abort();
  }
  feed_back(share);
}

void fail(std::string_view what) {
  fmt::print(stderr, "{}\n", what);
  std::abort();
}

}  // namespace ulpfuzz::fuzz
