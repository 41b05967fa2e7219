#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tool_run.hpp"
#include "ulpfuzz/runner/replay.hpp"

/// A case gives the same bits in another process and in every build: the hashes below were taken in
/// one build, and each build type that runs the tests must give them. Products, sums and relu
/// alone: other functions are the C library's.
namespace ulpfuzz {
namespace {

using mutants::Scratch;
using nlohmann::json;
using testing::HasSubstr;

constexpr const char* forward = "batched_vs_sliced";
constexpr const char* gradient = "loop_vs_vectorized";
constexpr const char* jax = "seeds/jax-vmap-mlp.case.json";
constexpr const char* torch = "seeds/torch-jacobian-mlp.case.json";
constexpr const char* mixed =
    "regressions/loop-vs-vectorized-simt-cublas-tf32-mixed-micro-batches.case.json";
constexpr const char* underflow =
    "regressions/loop-vs-vectorized-eigen-relu-of-underflow-2.case.json";

std::string bits_corpus(const char* file) {
  return (std::filesystem::path(ULPFUZZ_SOURCE_DIR) / "corpus" / file).string();
}

struct Bits {
  const char* file;
  const char* property;
  const char* subject;
  std::uint64_t bits;
};

void PrintTo(const Bits& b, std::ostream* os) {
  *os << b.file << " " << b.property << " " << b.subject;
}

class ReplayBits : public testing::TestWithParam<Bits> {};

TEST_P(ReplayBits, AreTheSameInEveryProcessAndBuild) {
  const Bits& b = GetParam();
  ReplayOptions options;
  options.subjects = {b.subject};
  options.properties = {b.property};
  options.times = 3;
  const ReplayRow row = replay(bits_corpus(b.file), options, builtin_subjects()).rows.at(0);
  EXPECT_TRUE(row.repeatable);
  EXPECT_EQ(row.runs, 3u);
  EXPECT_EQ(row.processes, 2u);
  ASSERT_TRUE(row.difference);
  EXPECT_GT(row.difference->elements, 0u);
  EXPECT_EQ(fmt::format("{:016x}", row.difference->bits), fmt::format("{:016x}", b.bits));
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, ReplayBits,
    testing::Values(Bits{jax, forward, "loops", 0xe078a03eb8087a67},
                    Bits{jax, forward, "reference/dd", 0x891c5717d3fdac4f},
                    Bits{jax, forward, "simt/xla-ada", 0x82cfb7f39538f7d7},
                    Bits{jax, forward, "simt/cublas-fp32", 0x9aa29ae6562c0577},
                    Bits{jax, forward, "simt/cublas-tf32", 0xb424751a15640d0e},
                    Bits{jax, forward, "simt/batch-invariant", 0x8a6ce3bd3f512ef5},
                    Bits{torch, forward, "loops", 0x6f716e9c19208ceb},
                    Bits{torch, forward, "simt/xla-ada", 0x07b667f81e7ce09b},
                    Bits{torch, forward, "simt/cublas-tf32", 0x8d17bf84585f4e4c},
                    Bits{torch, gradient, "loops", 0xe90a3b7428b4fedd},
                    Bits{mixed, forward, "simt/cublas-tf32", 0xbf28fce97fe8d0cf},
                    Bits{mixed, gradient, "simt/xla-ada", 0x7ca91a3820b63c4d},
                    Bits{mixed, gradient, "simt/cublas-tf32", 0x3cef6d5442f7d89d},
                    Bits{underflow, gradient, "loops", 0x5fd636ee715e4dc5},
                    Bits{underflow, gradient, "reference/dd", 0xd06126cba165439d}));

TEST(Replay, SaysThatRunsInSeveralProcessesGaveEqualBits) {
  const Scratch scratch;
  const std::string machine = (scratch / "m.json").string();
  const Result o = run(
      scratch, "replay --times 5 --subject loops --json " + machine + " " + bits_corpus(underflow));
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("5 runs in 3 processes, equal verdicts and bits"));
  const json row = json::parse(mutants::content(machine))["cases"][0]["rows"][0];
  EXPECT_EQ(row["runs"], 5);
  EXPECT_EQ(row["processes"], 3);
  EXPECT_EQ(row["repeatable"], true);
}

TEST(Replay, SaysThatRunsDisagree) {
  // Other bits in every process, though the same within one.
  const Registry subjects = mutants::only(std::make_unique<mutants::ByProcess>());
  ReplayOptions options;
  options.subjects = {"by_process"};
  options.properties = {forward};
  options.times = 4;
  const ReplayedCase r = replay(bits_corpus(underflow), options, subjects);
  EXPECT_FALSE(r.rows.at(0).repeatable);
  EXPECT_THAT(to_text(r), HasSubstr("the runs disagree"));
}

}  // namespace
}  // namespace ulpfuzz
