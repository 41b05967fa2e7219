#include "sample_night.hpp"

#include <fmt/format.h>

#include <limits>

#include "sample_findings.hpp"
#include "sample_numbers.hpp"
#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz::samples {
namespace {

using namespace report;

NightBucket bucket(BucketState state, const char* property, const char* subject, const char* cls,
                   const char* op, const char* cause, double share, std::uint64_t count) {
  NightBucket b;
  b.state = state;
  b.bucket.property = property;
  b.bucket.subject = subject;
  b.bucket.failure_class = cls;
  b.bucket.first_op = op;
  b.bucket.cause = cause;
  b.bucket.share = share;
  b.bucket.count = count;
  b.bucket.reproduced = b.bucket.tried = 3;
  b.found_in = "random";
  b.first_seen = "20261130T020000Z-7";
  b.bucket.id = fmt::format("{}-{}-{}-{}-{}", property, subject, cls, op, cause);
  for (char& c : b.bucket.id)
    if (std::string_view(" _/").find(c) != std::string_view::npos) c = '-';
  return b;
}

void add_red(std::vector<NightBucket>& all, const std::filesystem::path& folder) {
  const double endless = std::numeric_limits<double>::infinity();
  using enum BucketState;
  all.push_back(bucket(returned, properties[1], "eigen", "beyond_bound", "tanh",
                       "relu of underflow", 19.1, 3));
  all.back().found_in = "regressions";
  all.back().first_seen = "20261017T020000Z-7";
  all.back().nights = 5;
  all.back().bucket.reason =
      "the gradient is off the exact one by 0.000981, 19.1 times what any order of summation, FMA "
      "or position of the bias can make";
  write_finding(folder, all.back(), gated_case(),
                "  worst element output[row 7][column 2]: batch of 12 gives 0.5\n  share by op: "
                "linear 3: 0.2, sigmoid 4: 0.3, "
                "linear 7: 0.1, tanh 8: 19.1 (first to fail)\n",
                true);
  all.push_back(bucket(fresh, properties[0], "fault/neighbour_row", "beyond_bound", "linear",
                       "row leak", endless, 1204));
  all.back().bucket.reason =
      "no operation has anything to round here, yet the two paths differ by 1; looks like: last "
      "product dropped or row leak or zero";
  all.back().boundary =
      "batch: fails from batch 2 on (tried up to 32770), passes at 1, all other sizes as here; "
      "rows: row b gets the result of row b - 1: the last row (batches of 41 and 52)";
  all.back().bucket.also = {
      "batched-vs-sliced-fault-neighbour-row-beyond-bound-linear-unexplained"};
  write_finding(folder, all.back(), linear_case(),
                "FAIL batched_vs_sliced, subject fault/neighbour_row: beyond_bound, unexplained\n  "
                "worst element output[row 1][column 0]: batch of 2 gives 0 (0x0p+0), slice row 1 "
                "gives 1 (0x1p+0)\n  share by op: linear 2: inf (first to fail)\n",
                true);
  all.push_back(bucket(fresh, properties[1], "simt/tensor-core", "beyond_bound", "linear",
                       "consistent with tf32 operands", 2107.4, 88));
  all.back().found_in = "search";
  all.back().bucket.reason =
      "the result is off the exact one by 0.0127, 2107 times what the claimed arithmetic can make; "
      "cause: consistent with tf32 operands";
  write_finding(folder, all.back(), residual_case(),
                "  share by op: layer_norm 1: 0.2, linear 4: 2.1e3 (first to fail)\n", true);
  all.push_back(
      bucket(open, properties[0], "simt/split-k", "not_bitwise", "silu", "unexplained", 0.31, 12));
  all.back().first_seen = "20261127T020000Z-7";
  all.back().nights = 4;
  all.back().bucket.reason =
      "bits differ between the batch and its slices, which the subject claims they do not";
  write_finding(folder, all.back(), long_case(), "  share by op: silu 32: 0.31 (first to fail)\n",
                false);
}

void add_quiet(std::vector<NightBucket>& all) {
  using enum BucketState;
  all.push_back(bucket(known, properties[0], "fault/tf32_above_8", "crash", "", "sigsegv", 0, 40));
  all.back().owner = "Ann Example";
  all.back().until = "2026-12-31";
  all.back().comment = "waits for the vendor's next release";
  all.back().first_seen = "20261103T020000Z-7";
  all.back().nights = 27;
  all.back().bucket.reason = "fault/tf32_above_8 killed by SIGSEGV (Segmentation fault)";
  all.push_back(
      bucket(flaky, properties[1], "openblas", "nondeterministic", "", "run to run", 0, 1));
  all.back().bucket.reproduced = 0;
  all.back().bucket.flaky = true;
  all.back().found_in = "libFuzzer";
  all.back().bucket.reason = "the same call twice gave other bits; it did not happen again";
  all.push_back(bucket(fixed, properties[1], "loops", "beyond_bound", "linear", "row leak", 12, 0));
  all.back().first_seen = "20261012T020000Z-7";
  all.back().nights = 9;
  all.back().bucket.reason = "its smallest case passes now";
}

std::vector<NightBucket> usual_buckets(const std::filesystem::path& folder) {
  std::vector<NightBucket> all;
  add_red(all, folder);
  add_quiet(all);
  return all;
}

void add_phases(Night& night) {
  using enum Phase::State;
  night.phases = {
      {"self-check", done, 300, 41, 8000, 0, "9 good subjects silent, 24 of 24 faults caught"},
      {"regressions", done, 600, 12, 48, 1, "48 cases"},
      {"replay", done, 1440, 555, 21904, 0, "stability 99.2 %"},
      {"random", done, 12400, 12391, 334'000'000, 2, ""},
      {"search", done, 8500, 8490, 161'000'000, 1, "climbing got 71 % of the time"},
      {"libFuzzer", skipped, 0, 0, 0, 0, "this build has no fuzz targets"},
      {"shrink", cut, 7200, 7204, 0, 0, "3 of 4 buckets; the fourth was shrunk by 11 steps so far"},
      {"distil", done, 300, 66, 21904, 0, "412 cases published"},
      {"report", done, 60, 1, 0, 0, ""}};
}

}  // namespace

Night quiet_night() {
  Night night;
  night.id = "20261130T020000Z-7";
  night.date = "2026-11-30T02:00:00Z";
  night.seed = 7;
  night.seconds = 28800;
  night.environment.machine = {{"ulpfuzz", "0.1.0"},
                               {"compiler", "gcc 12.2.0"},
                               {"cpu", "Example 9000"},
                               {"isa", "sse4_2 avx avx2 fma f16c avx512f avx512bw avx512vl"},
                               {"fp_environment", "round to nearest, FTZ off, DAZ off"}};
  night.options = {{"time", "8h"}, {"jobs", "16"}, {"corpus", "corpus"}};
  return night;
}

Night empty_night() {
  Night night;
  night.id = "20261130T020000Z-7";
  return night;
}

Night usual_night(const std::filesystem::path& folder) {
  Night night = quiet_night();
  night.exit_code = 3;
  night.buckets = usual_buckets(folder);
  add_phases(night);
  add_pairs(night);
  add_statistics(night);
  add_samples(night);
  add_trend(night);
  night.elements_by_tier = {{"bit_equal", 142'896'000'000}, {"exact", 1'818'000'000},
                            {"sound", 38'425'000'000},      {"probabilistic", 319'000'000},
                            {"class_only", 40'000'000},     {"none", 676'000'000}};
  night.vacuous_reasons = {
      {"no bound applies to any element: ill-conditioned, or beyond the range", 512'044},
      {"there is no element to compare", 2200}};
  night.skip_reasons = {{"the Jacobian would have # elements, more than #", 10'800}};
  for (int i = 0; i < 47; ++i)
    night.regressions[fmt::format("regressions/case-{:02}.case.json", i)] = "pass";
  night.regressions["regressions/relu-of-underflow.case.json"] = night.buckets.front().bucket.id;
  night.stability = 0.992;
  night.corpus = 21904;
  night.corpus_added = 412;
  for (const char* family : {"cuda/fma", "cuda/simple", "cublas/f32"})
    night.unavailable[family] = "no CUDA device";
  night.environment.subjects = {{"openblas", "OpenBLAS 0.3.21; kernels SkylakeX; libmvec AVX2"}};
  night.environment.variables = {{"OMP_NUM_THREADS", "1"}};
  return night;
}

Night crowded_night(const std::filesystem::path& folder) {
  Night night = usual_night(folder);
  night.exit_code = 1;
  night.buckets.clear();
  for (int i = 0; i < 500; ++i) {
    NightBucket b = bucket(i < 450 ? BucketState::fresh : BucketState::known, properties[i % 2],
                           subjects[i % 9], "beyond_bound", i % 3 ? "linear" : "tanh",
                           "unexplained", 1.5 * (i + 1), 500 - i);
    b.bucket.id += fmt::format("-{}", i);
    b.bucket.reason =
        fmt::format("the result is off the exact one by {} times the bound", 1.5 * (i + 1));
    if (i == 1 || i == 300) {
      b.bucket.subject = "vendor/gemm_avx512_vnni_blocked_32x6_prepacked_weights_v2";
      b.bucket.cause =
          "accumulates_in_half_of_the_precision_that_is_claimed, or flushes subnormals";
      b.bucket.id = fmt::format("{}-{}-{}", b.bucket.property, b.bucket.subject.substr(7), i);
    }
    if (i < 40)
      write_finding(folder, b, residual_case(), "  share by op: linear 4: 7 (first to fail)\n",
                    true);
    night.buckets.push_back(b);
  }
  return night;
}

Night cut_night() {
  Night night = quiet_night();
  using enum Phase::State;
  night.exit_code = 4;
  night.interrupted = true;
  night.seconds = 93;
  night.cases = 8044;
  night.errors = {"findings/x/minimal.case.json: cannot be written: No space left on device",
                  "self-check: fault/row_leak was not caught in 2,000 cases"};
  night.phases = {{"self-check", failed, 300, 41, 8000, 0, "fault/row_leak was not caught"},
                  {"regressions", cut, 600, 2, 44, 0, "SIGTERM"},
                  {"random", not_begun, 12400, 0, 0, 0, ""}};
  return night;
}

Night running_night() {
  Night night = quiet_night();
  night.running = true;
  night.seconds = 4711;
  add_pairs(night);
  add_phases(night);
  for (std::size_t i = 3; i < night.phases.size(); ++i) {
    night.phases[i].state = Phase::State::not_begun;
    night.phases[i].seconds = 0;
    night.phases[i].note.clear();
  }
  return night;
}

Night hostile_night(const std::filesystem::path& folder) {
  const std::string attack =
      "</script></style></title><script>document.title='owned'</script><img src=x "
      "onerror=alert(1)>\"'&{{data}}\xff\xc0\x80 \xe2\x80\xae <!--";
  Night night = usual_night(folder);
  night.id = night.date = attack;
  for (NightBucket& b : night.buckets) {
    b.bucket.reason = b.bucket.cause = b.bucket.subject = b.bucket.property = b.bucket.first_op =
        b.boundary = b.owner = b.bucket.id = b.minimal = b.comment = b.until = b.found_in =
            b.first_seen = b.bucket.failure_class = attack;
    b.bucket.also = {attack};
  }
  night.buckets[4].bucket.case_file = "javascript:alert(1)/../../../../etc/hostname";
  night.buckets[5].bucket.case_file = "/etc/hostname";
  write_file_atomically(folder / night.buckets[0].bucket.case_file.parent_path() / "repro.cpp",
                        "// " + attack);
  write_file_atomically(folder / night.buckets[0].bucket.case_file.parent_path() / "minimal.txt",
                        attack);
  for (PairCounts& p : night.pairs) p.subject = p.property = attack;
  for (Sample& s : night.over_time) s.phase = attack, s.line.share = {{attack, {{attack, 0.5}}}};
  for (Phase& p : night.phases) p.name = p.note = attack;
  night.errors = {attack};
  night.unavailable = night.stopped = night.options =
      night.environment.machine = {{attack, attack}};
  night.vacuous_reasons = night.elements_by_tier = {{attack, 7}};
  night.shards = {attack};
  for (EarlierNight& n : night.trend) n.id = n.date = attack, n.buckets[attack] = 3;
  return night;
}

}  // namespace ulpfuzz::samples
