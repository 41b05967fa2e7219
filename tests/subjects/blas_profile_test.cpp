#include "gpu/blas_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "subjects/blas_products.hpp"

namespace ulpfuzz::stand_in {
namespace {

using gpu::BlasSettings;
using gpu::NamedBlas;
using kernels::BlasGemm;
using kernels::BlasGemv;
using kernels::MathMode;
using kernels::Product;

std::shared_ptr<const gpu::Profile> small(BlasSettings settings) {
  settings.workspace_bytes = 1 << 14;
  return gpu::make_blas_profile(settings);
}

const NamedBlas& named(std::string_view name) {
  const auto list = gpu::blas_profiles();
  return *std::find_if(list.begin(), list.end(), [&](const auto& p) { return p.name == name; });
}

TEST(BlasProfile, MultipliesWhateverTheSizesStridesAndRepeats) {
  for (const NamedBlas& profile : gpu::blas_profiles()) {
    const auto on_trial = small(profile.settings);
    const auto control = std::make_shared<Control>();
    std::mt19937 engine(11);
    std::size_t compared = 0;
    for (int trial = 0; trial < 1500; ++trial) {
      TestSession session(control);
      const Product p = draw_product(session, engine);
      on_trial->multiply(session, p);
      session.device().synchronize();
      const std::vector<float> expected = naive_product(p);
      for (std::size_t i = 0; i < expected.size(); ++i, ++compared)
        ASSERT_EQ(p.y[i], expected[i])
            << profile.name << " trial " << trial << " [" << i << "] of " << p.entries << " x "
            << p.m << " x " << p.n << ", k " << p.k;
    }
    EXPECT_GT(compared, 10000u);
    EXPECT_EQ(control->faults, std::vector<std::string>{}) << profile.name;
    EXPECT_EQ(control->live, 0u);
    const bool lt = profile.settings.library == BlasSettings::Library::lt;
    EXPECT_EQ(control->names["cublasLtMatmul"] > 500, lt) << profile.name;
    EXPECT_EQ(control->names["cublasGemmEx"] > 100, !lt) << profile.name;
    EXPECT_EQ(control->names["cublasGemmStridedBatchedEx"] > 100, !lt) << profile.name;
    EXPECT_EQ(control->names["cublasSgemv"] > 20, !lt && profile.settings.operand == Format::fp32)
        << profile.name;
  }
}

TEST(BlasProfile, SendsNothingWithoutElementsOrTerms) {
  for (const NamedBlas& profile : gpu::blas_profiles())
    for (int empty = 0; empty < 4; ++empty)
      for (const bool with_bias : {false, true}) {
        const auto control = std::make_shared<Control>();
        TestSession session(control);
        const float* const bias = std::fill_n(session.scratch(3), 3, 5.0f) - 3;
        Product p{.m = 2, .n = 3, .k = 4, .entries = 2, .bias = with_bias ? bias : nullptr};
        (empty == 0 ? p.m : empty == 1 ? p.n : empty == 2 ? p.k : p.entries) = 0;
        p.y = session.scratch(p.m * p.n * p.entries);
        small(profile.settings)->multiply(session, p);
        session.device().synchronize();
        EXPECT_EQ(control->count(Call::blas) + control->count(Call::heuristic), 0u);
        for (std::size_t i = 0; i < p.entries * p.m * p.n; ++i)
          EXPECT_EQ(p.y[i], with_bias ? 5 : 0);
      }
}

/// Writes down the calls and passes them on.
class BlasRecorder final : public kernels::Blas {
 public:
  using Choice = std::tuple<bool, std::size_t, bool>;  // row-major, algorithm, workspace
  explicit BlasRecorder(kernels::Blas& blas) : blas_(blas) {}
  std::string environment() const override { return blas_.environment(); }
  std::string unsupported(MathMode mode) const override { return blas_.unsupported(mode); }
  void gemm(const BlasGemm& call, void* workspace, std::size_t bytes) override {
    gemms.push_back(call);
    choices.insert({call.row_major, 0, bytes != 0});
    blas_.gemm(call, workspace, bytes);
  }
  void gemv(const BlasGemv& call) override {
    gemvs.push_back(call);
    blas_.gemv(call);
  }
  std::size_t lt_algorithms(const BlasGemm& call, std::size_t bytes) override {
    return blas_.lt_algorithms(call, bytes);
  }
  void lt_gemm(const BlasGemm& call, std::size_t algorithm, void* workspace,
               std::size_t bytes) override {
    gemms.push_back(call);
    choices.insert({call.row_major, algorithm, bytes != 0});
    blas_.lt_gemm(call, algorithm, workspace, bytes);
  }

  std::vector<BlasGemm> gemms;
  std::vector<BlasGemv> gemvs;
  std::set<Choice> choices;

 private:
  kernels::Blas& blas_;
};

// A dense product of ones.
Product dense(TestSession& session, std::size_t m, std::size_t n, std::size_t k,
              std::size_t entries = 1) {
  const auto ones = [&](std::size_t count) {
    return std::fill_n(session.scratch(count), count, 1.0f) - count;
  };
  return {.m = m,
          .n = n,
          .k = k,
          .entries = entries,
          .a = ones(entries * m * k),
          .a_row = k,
          .a_step = 1,
          .a_entry = m * k,
          .b = ones(entries * k * n),
          .b_step = n,
          .b_column = 1,
          .b_entry = k * n,
          .y = session.scratch(entries * m * n)};
}

// What is chosen for products of this size, over some widths.
std::set<BlasRecorder::Choice> choices(const char* name, bool repeatedly) {
  const auto profile = small(named(name).settings);
  TestSession session(std::make_shared<Control>());
  BlasRecorder recorder(session.blas());
  session.other_blas = &recorder;
  for (std::size_t i = 0; i < 300; ++i)
    profile->multiply(session, dense(session, 4, repeatedly ? 8 : 4 + i, 16));
  session.device().synchronize();
  return recorder.choices;
}

TEST(BlasProfile, UsesEveryAlgorithmLayoutAndWorkspaceAndAlwaysTheSameForAShape) {
  EXPECT_EQ(choices("cublas/fp32", false),
            (std::set<BlasRecorder::Choice>{{false, 0, false}, {false, 0, true}}));
  EXPECT_EQ(choices("cublas/fp32", true).size(), 1u);
  EXPECT_EQ(choices("cublaslt/fp32", true).size(), 1u);
  const auto all = choices("cublaslt/fp32", false);
  for (const bool row_major : {false, true})
    for (const bool workspace : {false, true})
      for (std::size_t algorithm = 0; algorithm < (workspace ? 4 : 3); ++algorithm)
        EXPECT_EQ(all.count({row_major, algorithm, workspace}), 1u)
            << row_major << workspace << algorithm;
}

TEST(BlasProfile, SendsRowsAndColumnsAsVectorsAndBatchesAtOnce) {
  const auto profile = small(named("cublas/fp32").settings);
  TestSession session(std::make_shared<Control>());
  BlasRecorder recorder(session.blas());
  session.other_blas = &recorder;
  profile->multiply(session, dense(session, 1, 5, 3));
  ASSERT_EQ(recorder.gemvs.size(), 1u);
  EXPECT_FALSE(recorder.gemvs[0].transpose);
  EXPECT_EQ(recorder.gemvs[0].m, 5u);
  profile->multiply(session, dense(session, 5, 1, 3));
  ASSERT_EQ(recorder.gemvs.size(), 2u);
  EXPECT_TRUE(recorder.gemvs[1].transpose);
  EXPECT_EQ(recorder.gemvs[1].n, 5u);
  profile->multiply(session, dense(session, 2, 5, 3, 7));
  ASSERT_EQ(recorder.gemms.size(), 1u);
  EXPECT_EQ(recorder.gemms[0].entries, 7u);
  // The right side is shared: the rows of all entries are those of one product.
  Product shared = dense(session, 2, 5, 3, 7);
  shared.b_entry = 0;
  profile->multiply(session, shared);
  ASSERT_EQ(recorder.gemms.size(), 2u);
  EXPECT_EQ(recorder.gemms[1].entries, 1u);
  EXPECT_EQ(recorder.gemms[1].n, 14u);
  // Three entries share a left side: runs of three and the rest.
  Product repeated = dense(session, 2, 5, 3, 7);
  repeated.a_repeat = 3;
  profile->multiply(session, repeated);
  ASSERT_EQ(recorder.gemms.size(), 5u);
  EXPECT_EQ(recorder.gemms[2].entries, 3u);
  EXPECT_EQ(recorder.gemms[2].b_stride, 0u);
  EXPECT_EQ(recorder.gemms[4].entries, 1u);
  session.device().synchronize();
}

TEST(BlasProfile, ClaimsWhatTheModeComputesWith) {
  const auto claim = [](const char* name, int architecture) {
    return gpu::make_blas_profile(named(name).settings)->arithmetic(architecture);
  };
  for (const char* name : {"cublas/fp32", "cublas/pedantic", "cublaslt/fp32", "cublaslt/pedantic"})
    EXPECT_EQ(claim(name, 90), Arithmetic{}) << name;
  for (const char* name : {"cublas/tf32", "cublaslt/tf32"}) {
    EXPECT_EQ(claim(name, 90).operand, Format::tf32);
    EXPECT_TRUE(claim(name, 90).mixed);
    EXPECT_EQ(claim(name, 90).unit, matmul_units::hopper_tf32);
    EXPECT_EQ(claim(name, 89).unit, matmul_units::ampere_tf32);
    EXPECT_EQ(claim(name, 0).unit, matmul_units::ampere_tf32);
  }
  EXPECT_EQ(claim("cublaslt/bf16x9", 100).split, Split::bf16x9);
  EXPECT_TRUE(claim("cublaslt/bf16x9", 100).mixed);
  EXPECT_EQ(claim("cublas/bf16", 90).operand, Format::bf16);
  EXPECT_EQ(claim("cublas/fp16", 90).operand, Format::fp16);
  EXPECT_FALSE(claim("cublas/fp16", 90).mixed);
  EXPECT_EQ(claim("cublas/fp16", 0).unit, matmul_units::volta_half);
}

}  // namespace
}  // namespace ulpfuzz::stand_in
