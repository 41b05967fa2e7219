#include "gpu/simt_profiles.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "gpu/simt_table.hpp"
#include "subjects/gpu_profiles.hpp"
#include "subjects/trials.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/network/npy.hpp"

namespace ulpfuzz {
namespace {

using trials::Trial;

const Subject& simt(const std::string& name) {
  const Subject* subject = trials::subjects().find("simt/" + name);
  if (subject == nullptr) throw std::invalid_argument(name);
  return *subject;
}

const std::string folder = std::string(ULPFUZZ_SOURCE_DIR) + "/corpus/public/jax-vmap/";

/// The published MLP at a batch size: its first ten rows are those of the report.
struct PublicMlp {
  NetworkFile file = read_network(folder + "network.json");
  std::vector<float> x = read_npy<float>(folder + "x.npy").data;

  std::vector<float> first_rows(const Subject& subject, std::size_t batch) const {
    std::vector<float> rows = x;
    rows.resize(batch * 2, 0.5f);
    const float* input = rows.data();
    Caller caller;
    const Outputs out = caller.run(subject, file.network, file.parameters, batch, {&input, 1});
    return {out.values[0].begin(), out.values[0].begin() + std::min<std::size_t>(20, 2 * batch)};
  }
};

/// How many of the 20 published differences of batch 10 and batch 10000 the subject gives: they
/// were printed so that fp32 numbers can be read back.
int published_values(const Subject& subject) {
  const PublicMlp mlp;
  const auto reported = read_npy<float>(folder + "reported_difference.npy").data;
  const auto few = mlp.first_rows(subject, 10);
  const auto many = mlp.first_rows(subject, 10000);
  int equal = 0;
  for (std::size_t i = 0; i < 20; ++i) equal += few.at(i) - many.at(i) == reported.at(i);
  return equal;
}

TEST(SimtXlaAda, GivesThePublishedDifferencesOfBatch10And10000) {
  EXPECT_EQ(published_values(simt("xla-ada")), 20);
}

// So the report does not say what the fp32 loops do in detail.
TEST(SimtXlaAda, WouldGiveThemWithOtherFp32LoopsToo) {
  using kernels::Product;
  for (const bool fused : {false, true})
    for (const bool bias_first : {false, true}) {
      const auto table = std::make_shared<gpu::TableProfile>(
          "", Arithmetic{},
          std::vector<gpu::Rule>{{[](const Product& p) { return (p.m + p.n) * p.k < 100; },
                                  kernels::Gemm{.fused = fused, .bias_first = bias_first}},
                                 {gpu::always, kernels::UnitGemm{}}});
      EXPECT_EQ(published_values(*gpu_tests::on_host(table)), 20) << fused << bias_first;
    }
}

/// What a profile launches for one product.
class LaunchRecorder final : public gpu::Session, public kernels::Device {
 public:
  kernels::Device& device() override { return *this; }
  float* scratch(std::size_t) override { return &memory_; }
  std::string environment() const override { return "recorder"; }
  int architecture() const override { return 0; }
  void* allocate(std::size_t) override { return &memory_; }
  void release(void*) noexcept override {}
  void upload(void*, const void*, std::size_t) override {}
  void download(void*, const void*, std::size_t) override {}
  void fill(float*, std::uint32_t, std::size_t) override {}
  void launch(const kernels::Launch& launch, float*) override { launches.push_back(launch); }
  void synchronize() override {}

  std::vector<kernels::Launch> launches;

 private:
  float memory_ = 0;
};

std::shared_ptr<const gpu::Profile> profile(std::string_view name) {
  for (const gpu::SimtProfile& p : gpu::simt_profiles())
    if (p.name == name) return p.make();
  throw std::invalid_argument(std::string(name));
}

kernels::Launch choice(const gpu::Profile& of, std::size_t m, std::size_t n, std::size_t k,
                       std::size_t entries = 1) {
  LaunchRecorder recorder;
  of.multiply(recorder, {.m = m, .n = n, .k = k, .entries = entries});
  EXPECT_EQ(recorder.launches.size(), 1u);
  return recorder.launches.front();
}

// docs/bounds.md: layer 1 of the published MLP leaves fp32 at batch 40, layer 3 at 8, layer 2
// at once.
TEST(SimtXlaAda, KeepsDotsBelow100ElementsInFp32) {
  const auto xla = profile("xla-ada");
  std::map<std::size_t, std::string> layers;
  for (const std::size_t batch : {1, 7, 8, 10, 39, 40, 10000})
    for (const auto& [n, k] : {std::pair{10, 2}, {10, 10}, {2, 10}})
      layers[batch] +=
          std::holds_alternative<kernels::UnitGemm>(choice(*xla, batch, n, k)) ? "T" : "f";
  EXPECT_THAT(layers, testing::ElementsAre(testing::Pair(1, "fTf"), testing::Pair(7, "fTf"),
                                           testing::Pair(8, "fTT"), testing::Pair(10, "fTT"),
                                           testing::Pair(39, "fTT"), testing::Pair(40, "TTT"),
                                           testing::Pair(10000, "TTT")));
}

TEST(SimtXlaAda, LooksAtOneDotOfABatchOfDots) {
  EXPECT_TRUE(std::holds_alternative<kernels::Gemm>(choice(*profile("xla-ada"), 4, 4, 12, 500)));
}

std::string kind(const kernels::Launch& launch) {
  if (std::holds_alternative<kernels::Gemv>(launch)) return "gemv";
  const auto of = [](const char* kernel, const kernels::Decomposition& parts, unsigned slices) {
    return std::string(kernel) + (parts.stream > 0   ? " stream-K"
                                  : parts.splits > 1 ? " split-K"
                                  : slices > 1       ? " slices"
                                                     : "");
  };
  if (const auto* gemm = std::get_if<kernels::Gemm>(&launch))
    return of("tile", gemm->parts, gemm->slices);
  const auto& unit = std::get<kernels::UnitGemm>(launch);
  return of("unit", unit.parts, 1);
}

std::set<std::string> kinds(std::string_view name) {
  const auto of = profile(name);
  std::set<std::string> found;
  for (const std::size_t m : {1, 3, 8, 20, 64, 130})
    for (const std::size_t n : {1, 5, 32, 70, 130})
      for (const std::size_t k : {1, 7, 40, 70, 130, 600}) found.insert(kind(choice(*of, m, n, k)));
  return found;
}

TEST(SimtProfiles, ChooseByShapeAmongTheKernelsOfLibraries) {
  EXPECT_THAT(kinds("cublas-fp32"), testing::UnorderedElementsAre("gemv", "tile", "tile slices",
                                                                  "tile split-K", "tile stream-K"));
  EXPECT_THAT(kinds("cublas-tf32"),
              testing::UnorderedElementsAre("gemv", "tile", "unit", "unit split-K"));
  EXPECT_THAT(kinds("xla-ada"), testing::UnorderedElementsAre("tile", "unit", "unit split-K"));
  EXPECT_EQ(kinds("batch-invariant").size(), 1u);
}

TEST(SimtProfiles, ClaimWhatTheyComputeWith) {
  for (const char* name : {"cublas-fp32", "batch-invariant", "atomics"})
    EXPECT_EQ(simt(name).arithmetic(), Arithmetic{}) << name;
  for (const char* name : {"xla-ada", "cublas-tf32"}) {
    const Arithmetic claim = simt(name).arithmetic();
    EXPECT_EQ(claim.operand, Format::tf32) << name;
    EXPECT_EQ(claim.conversion, Rounding::nearest_away) << name;
    EXPECT_EQ(claim.unit, matmul_units::ampere_tf32) << name;
    EXPECT_TRUE(claim.mixed) << name;
  }
}

// Split-K of a profile is no finer than it claims.
TEST(SimtProfiles, SplitNoFinerThanTheyClaim) {
  for (const char* name : {"xla-ada", "cublas-tf32"}) {
    const auto of = profile(name);
    std::uint32_t most = 0;
    for (const std::size_t k : {64, 96, 512, 4096})
      for (const std::size_t m : {2, 16, 256}) {
        const kernels::Launch launch = choice(*of, m, 16, k);
        const auto* unit = std::get_if<kernels::UnitGemm>(&launch);
        if (unit == nullptr) continue;
        most = std::max(most, unit->parts.splits);
        EXPECT_EQ(unit->parts.stream, 0u);
      }
    EXPECT_EQ(most, of->arithmetic(0).partials) << name;
  }
}

TEST(TableProfile, RefusesTablesThatDoNotAlwaysFitOrDoNotMultiply) {
  const auto table = [](std::vector<gpu::Rule> rules) {
    return gpu::TableProfile("", Arithmetic{}, std::move(rules));
  };
  const auto one_row = [](const kernels::Product& p) { return p.m == 1; };
  EXPECT_THROW(table({}), std::invalid_argument);
  EXPECT_THROW(table({{one_row, kernels::Gemm{}}}), std::invalid_argument);
  EXPECT_THROW(table({{one_row, kernels::Map{}}, {gpu::always, kernels::Gemm{}}}),
               std::invalid_argument);
  EXPECT_NO_THROW(table({{one_row, kernels::Gemv{}}, {gpu::always, kernels::Gemm{}}}));
}

/// Ops of every kind on rows: attention, norm, MLP.
Network block() {
  Network n;
  const NodeId x = n.input(Shape{5, 24});
  const NodeId h = n.layer_norm(x);
  const NodeId scores =
      n.matmul(examples::build::project(n, h, 16), examples::build::project(n, h, 16), false, true);
  const NodeId mixed = n.matmul(n.softmax(scores), examples::build::project(n, h, 24));
  n.output(n.add(x, n.activation(Op::gelu_tanh, examples::build::dense(n, mixed, 24))));
  return n;
}

TEST(SimtBatchInvariant, GivesARowTheSameBitsInEveryBatchUpTo70) {
  const Subject& subject = simt("batch-invariant");
  for (const Network& network : {trials::mlp({37, 64, 19}, Op::tanh), block()}) {
    Trial all(network, 70, 1);
    const auto expected = all.run(subject)[0];
    const std::size_t width = expected.size() / 70;
    for (std::size_t batch = 1; batch < 70; ++batch) {
      Trial some = all;
      some.batch = batch;
      const auto got = some.run(subject)[0];
      ASSERT_EQ(got.size(), batch * width);
      ASSERT_TRUE(std::equal(got.begin(), got.end(), expected.begin())) << "batch " << batch;
    }
  }
}

TEST(SimtBatchInvariant, GivesGradientsByLoopAndAllAtOnceTheSameBits) {
  Caller caller;
  for (const Network& network : {trials::mlp({37, 40, 9}, Op::tanh), block()}) {
    const Case c = trials::make_case(network, 3, 2);
    const DerivedNetworks derived = derive(network);
    EXPECT_EQ(jacobian_loop(caller, simt("batch-invariant"), c, derived).blocks,
              jacobian_reverse(caller, simt("batch-invariant"), c, derived).blocks);
  }
}

// The others are not: that is what they are for.
TEST(SimtProfiles, DependOnTheBatchUnlessTheyAreBatchInvariant) {
  for (const char* name : {"xla-ada", "cublas-fp32", "cublas-tf32"}) {
    Trial all(trials::mlp({9, 10, 19}, Op::tanh), 70, 1);
    const auto whole = all.run(simt(name))[0];
    all.batch = 1;
    const auto alone = all.run(simt(name))[0];
    EXPECT_FALSE(std::equal(alone.begin(), alone.end(), whole.begin())) << name;
  }
}

TEST(SimtAtomics, GivesOtherBitsFromCallToCallAndSaysSo) {
  const Subject& subject = simt("atomics");
  EXPECT_FALSE(subject.deterministic());
  const Trial trial(trials::mlp({300, 20}, Op::tanh), 9, 1);
  std::set<std::vector<float>> results;
  for (int i = 0; i < 10; ++i) results.insert(trial.run(subject)[0]);
  EXPECT_GT(results.size(), 5u);
}

}  // namespace
}  // namespace ulpfuzz
