#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "jax_report.hpp"
#include "ulpfuzz/core/ulp.hpp"
#include "ulpfuzz/diagnosis/explanation.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/probe/probe.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/claiming.hpp"
#include "ulpfuzz/subjects/emulated.hpp"
#include "ulpfuzz/subjects/registry.hpp"

/// simt/xla-ada on the network of the JAX report (F16 of docs/facts.md): which layers a batch
/// computes in TF32, what that makes of the same ten rows, and what is said of it.
namespace ulpfuzz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::size_t rows = 10, width = 2, layers = 3;

class XlaAda : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    registry_ = new Registry(builtin_subjects());
    report_ = new Case(
        read_case(std::filesystem::path(ULPFUZZ_SOURCE_DIR) / "corpus/seeds/jax-vmap-mlp.case.json")
            .value);
  }
  static void TearDownTestSuite() {
    delete report_;
    delete registry_;
  }

  static const Case& report() { return *report_; }
  static const Subject& subject() { return *registry_->find("simt/xla-ada"); }

  /// Outputs of the first ten rows, in as many batches as it takes.
  static std::vector<float> in_batches_of(std::size_t batch, const Subject& of = subject()) {
    std::vector<float> y;
    Caller caller;
    for (std::size_t from = 0; from < rows; from += batch) {
      const float* x = report().inputs[0].data.data() + from * 2;
      const auto out = caller.run(of, report().network, report().parameters, batch, {&x, 1});
      y.insert(y.end(), out.values[0].begin(), out.values[0].end());
    }
    y.resize(rows * width);
    return y;
  }

 private:
  static inline const Registry* registry_ = nullptr;
  static inline const Case* report_ = nullptr;
};

TEST_F(XlaAda, GivesEveryReportedDifference) {
  const std::vector<float> few = in_batches_of(10), many = in_batches_of(10000);
  for (std::size_t i = 0; i < rows * width; ++i)
    EXPECT_TRUE(same_bits(few[i] - many[i], reported[i])) << "element " << i;
}

/// TF32 as on Ada, but for some layers in fp32, by FMA from left to right.
Emulated pattern(const Network& network, std::vector<std::size_t> in_fp32) {
  Arithmetic tf32;
  tf32.operand = Format::tf32;
  tf32.conversion = Rounding::nearest_away;
  tf32.unit = matmul_units::ampere_tf32;
  LayeredArithmetic arithmetic(tf32);
  const auto layer = layers_of(network, network);
  for (NodeId id = 0; id < layer.size(); ++id)
    if (layer[id] && std::find(in_fp32.begin(), in_fp32.end(), *layer[id]) != in_fp32.end())
      arithmetic.except.emplace_back(id, Arithmetic{});
  return Emulated("", {.arithmetic = arithmetic, .summation = {.fused = true}});
}

// A dot of (batch + outputs) inputs below 100 stays in fp32: layers 10 x 2, 10 x 10 and 2 x 10.
TEST_F(XlaAda, ChoosesTheArithmeticOfALayerByTheBatch) {
  ASSERT_EQ(layer_count(report().network), layers);
  struct Choice {
    std::vector<std::size_t> in_fp32;
    std::vector<std::size_t> batches;
  };
  for (const auto& [in_fp32, batches] :
       {Choice{{0, 2}, {1, 2, 3, 4, 5, 6, 7}}, Choice{{0}, {8, 9, 10, 20, 39}},
        Choice{{}, {40, 41, 100, 1000, 10000}}}) {
    const Emulated emulated = pattern(report().network, in_fp32);
    for (const std::size_t batch : batches)
      EXPECT_EQ(in_batches_of(batch), in_batches_of(batch, emulated)) << "batch " << batch;
  }
  // The patterns differ where it matters.
  EXPECT_NE(in_batches_of(7), in_batches_of(8));
  EXPECT_NE(in_batches_of(39), in_batches_of(40));
}

double rms_of_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    squares += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  return std::sqrt(squares / static_cast<double>(a.size()));
}

TEST_F(XlaAda, DiffersFromALargeBatchByWhatIsPredicted) {
  const std::vector<float> many = in_batches_of(10000);
  for (const std::size_t batch : {1, 7})
    EXPECT_NEAR(rms_of_difference(in_batches_of(batch), many), 7.50e-5, 0.005e-5);
  for (const std::size_t batch : {8, 10, 39})
    EXPECT_NEAR(rms_of_difference(in_batches_of(batch), many), 5.76e-5, 0.005e-5);
  // The same kernel in every batch from 40 on: the same bits.
  EXPECT_EQ(in_batches_of(40), many);
}

Verdict checked(const Case& c, const Subject& subject) {
  CheckContext context;
  return properties::batched_vs_sliced.check(c, subject, {}, context);
}

TEST_F(XlaAda, PassesUnderItsOwnClaimAndFailsUnderThatOfFp32) {
  const Verdict own = checked(report(), subject());
  EXPECT_EQ(own.outcome, Outcome::pass) << own.reason;
  EXPECT_LT(own.share, 1);
  const Verdict fp32 = checked(report(), Claiming(subject(), Arithmetic{}));
  EXPECT_TRUE(fp32.failed());
  EXPECT_EQ(fp32.failure, FailureClass::beyond_bound);
  EXPECT_EQ(fp32.first_op, "linear");
  EXPECT_EQ(fp32.cause, "consistent with tf32 operands") << fp32.reason;
  EXPECT_GT(fp32.share, 20);
}

TEST_F(XlaAda, IsExplainedLayerByLayer) {
  const std::vector<float> few = in_batches_of(10), many = in_batches_of(10000);
  const float* x = report().inputs[0].data.data();
  const auto e = diagnosis::explain({report().network,
                                     report().parameters,
                                     rows,
                                     {&x, 1},
                                     diagnosis::Quantity::outputs,
                                     few,
                                     many,
                                     {},
                                     std::nullopt,
                                     10,
                                     10000});
  EXPECT_EQ(e.conclusion, diagnosis::Conclusion::other_cause);
  ASSERT_FALSE(e.matches.empty());
  EXPECT_EQ(e.matches[0].exact, rows * width);
  EXPECT_THAT(e.matches[0].a, ElementsAre("fp32", "tf32 rna ada", "tf32 rna ada"));
  EXPECT_THAT(e.matches[0].b, ElementsAre("tf32 rna ada", "tf32 rna ada", "tf32 rna ada"));
  EXPECT_THAT(e.cause, HasSubstr("TF32"));
  EXPECT_THAT(e.notes, ::testing::Contains(HasSubstr("batch sizes 10 and 10000 explain")));
}

// A layer 4 -> 16 is below the limit up to a batch of 8.
TEST_F(XlaAda, IsProbedIntoItsClassesOfBatches) {
  probe::Options options;
  options.inner = {4};
  options.largest_batch = 40;
  const probe::Report found = probe::probe(subject(), options, "batch sizes");
  EXPECT_TRUE(found.claims_hold());
  ASSERT_EQ(found.batch_classes.size(), 2u);
  EXPECT_EQ(probe::compact(found.batch_classes[0].sizes), "1-8");
  EXPECT_THAT(found.batch_classes[0].behaviour, Not(HasSubstr("tf32")));
  EXPECT_EQ(probe::compact(found.batch_classes[1].sizes), "9-40");
  EXPECT_THAT(found.batch_classes[1].behaviour, HasSubstr("tf32, to nearest away"));
  EXPECT_TRUE(probe::probe(subject(), options, "sums").claims_hold());

  const probe::Report judged = probe::probe(Claiming(subject(), {}), options, "batch sizes");
  EXPECT_FALSE(judged.claims_hold());
  ASSERT_FALSE(judged.findings.empty());
  EXPECT_EQ(judged.findings[0].what, "operands of products, batch 9-40");
}

}  // namespace
}  // namespace ulpfuzz
