#include "ulpfuzz/kernels/cuda/blas.hpp"

#include <gtest/gtest.h>

#include "blas_problem.hpp"
#include "on_device.hpp"

namespace ulpfuzz::kernels {
namespace {

using namespace testing_support;

constexpr std::size_t large = std::size_t{32} << 20;  // what cuBLAS takes for itself on sm_90
constexpr BlasShape shapes[] = {{1, 1, 1},         {7, 5, 3, 1, 3},    {64, 48, 32},
                                {33, 1, 257},      {1, 40, 100, 1, 2}, {72, 130, 300, 1, 4},
                                {20, 24, 17, 5, 1}};

class CudaBlas : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    if (IsSkipped()) return;
    blas_ = cuda::make_blas(device());
    workspace_ = device().allocate(large);
  }
  void TearDown() override {
    if (workspace_ != nullptr) device().release(workspace_);
  }
  Blas& blas() { return *blas_; }
  void* workspace(std::size_t bytes) const { return bytes == 0 ? nullptr : workspace_; }

  // Of modes that are there, transposes and beta.
  template <class Use>
  void each_setting(bool row_major, const Use& use) {
    for (const MathMode mode :
         {MathMode::standard, MathMode::pedantic, MathMode::tf32, MathMode::bf16x9}) {
      if (!blas().unsupported(mode).empty()) continue;
      for (const bool transpose_a : {false, true})
        for (const bool transpose_b : {false, true})
          for (const float beta : {0.0f, 1.0f}) {
            BlasGemm call;
            call.row_major = row_major;
            call.transpose_a = transpose_a, call.transpose_b = transpose_b;
            call.beta = beta;
            call.mode = mode;
            use(call);
          }
    }
  }

 private:
  std::unique_ptr<Blas> blas_;
  void* workspace_ = nullptr;
};

TEST_F(CudaBlas, NamesItsVersionAndItsModes) {
  EXPECT_EQ(blas().environment().substr(0, 7), "cuBLAS ");
  for (const MathMode mode : {MathMode::standard, MathMode::pedantic, MathMode::tf32})
    EXPECT_EQ(blas().unsupported(mode), "");
  const int sm = device().architecture();
  EXPECT_EQ(blas().unsupported(MathMode::bf16x9).empty(), sm == 100 || sm == 103);
}

TEST_F(CudaBlas, GemmIsAProductWithinTheBoundOfItsMode) {
  std::mt19937 random(41);
  for (const BlasShape& shape : shapes)
    each_setting(false, [&](const BlasGemm& settings) {
      const BlasProblem problem(shape, settings, random);
      for (const std::size_t bytes : {std::size_t{0}, large}) {
        const auto c = problem.on(
            device(), [&](const BlasGemm& call) { blas().gemm(call, workspace(bytes), bytes); });
        EXPECT_LE(problem.error(c), error_bound(problem.call)) << problem.name();
      }
    });
}

TEST_F(CudaBlas, GemvIsAProductWithinTheBoundOfItsMode) {
  std::mt19937 random(42);
  for (const BlasShape& shape : {BlasShape{1, 1, 1}, {300, 1, 70, 1, 2}, {17, 1, 1000}})
    each_setting(false, [&](const BlasGemm& settings) {
      if (settings.transpose_b) return;
      BlasShape line = shape;
      line.entries = 1;
      const BlasProblem problem(line, settings, random);
      const auto c = problem.on(device(), [&](const BlasGemm& g) {
        const bool t = g.transpose_a;
        blas().gemv({.transpose = t,
                     .m = t ? g.k : g.m,
                     .n = t ? g.m : g.k,
                     .a = static_cast<const float*>(g.a),
                     .lda = g.lda,
                     .x = static_cast<const float*>(g.b),
                     .beta = g.beta,
                     .y = g.c,
                     .mode = g.mode});
      });
      EXPECT_LE(problem.error(c), error_bound(problem.call)) << problem.name();
    });
}

TEST_F(CudaBlas, EveryAlgorithmOfLtIsAProductWithinTheBoundOfItsMode) {
  std::mt19937 random(43);
  std::size_t listed = 0, several = 0;
  for (const bool row_major : {false, true})
    for (const BlasShape& shape : shapes)
      each_setting(row_major, [&](const BlasGemm& settings) {
        const BlasProblem problem(shape, settings, random);
        for (const std::size_t bytes : {std::size_t{0}, large}) {
          std::size_t count = 1;
          for (std::size_t algorithm = 0; algorithm < count; ++algorithm) {
            const auto c = problem.on(device(), [&](const BlasGemm& call) {
              count = blas().lt_algorithms(call, bytes);
              if (count != 0) blas().lt_gemm(call, algorithm, workspace(bytes), bytes);
            });
            if (count != 0) {
              ASSERT_LE(problem.error(c), error_bound(problem.call))
                  << problem.name() << ", algorithm " << algorithm << " of " << count;
            }
          }
          EXPECT_TRUE(count != 0 || row_major) << problem.name();
          listed += count;
          several += count > 1;
        }
      });
  EXPECT_GT(listed, 100u);
  EXPECT_GT(several, 10u);
}

TEST_F(CudaBlas, RefusesAnAlgorithmThatIsNotListed) {
  std::mt19937 random(44);
  const BlasProblem problem({8, 8, 8}, {}, random);
  EXPECT_THROW(problem.on(device(),
                          [&](const BlasGemm& call) {
                            blas().lt_gemm(call, blas().lt_algorithms(call, 0), nullptr, 0);
                          }),
               std::invalid_argument);
}

// Each mode reaches the hardware: else a campaign of TF32 would test fp32.
TEST_F(CudaBlas, Tf32IsLessAccurateThanPedantic) {
  std::mt19937 random(45);
  BlasGemm settings;
  settings.mode = MathMode::tf32;
  BlasProblem problem({256, 256, 256}, settings, random);
  const auto gemm = [&](const BlasGemm& call) { blas().gemm(call, workspace(large), large); };
  const auto lt = [&](const BlasGemm& call) { blas().lt_gemm(call, 0, workspace(large), large); };
  const double tf32 = problem.error(problem.on(device(), gemm));
  const double lt_tf32 = problem.error(problem.on(device(), lt));
  problem.call.mode = MathMode::pedantic;
  const double pedantic = problem.error(problem.on(device(), gemm));
  EXPECT_GT(tf32, 20 * pedantic);
  EXPECT_GT(lt_tf32, 20 * pedantic);
}

// Operands of two bytes: whole numbers, of which products and sums are exact.
TEST_F(CudaBlas, TakesHalfOperands) {
  for (const Format format : {Format::fp16, Format::bf16}) {
    constexpr std::uint16_t two = 0x4000;  // 2 in both
    const std::vector<std::uint16_t> twos(64 * 64, two);
    auto* const memory = static_cast<std::byte*>(device().allocate(64 * 64 * 8));
    BlasGemm call;
    call.m = call.n = call.k = call.lda = call.ldb = call.ldc = 64;
    call.operand = format;
    call.a = call.b = memory;
    call.c = reinterpret_cast<float*>(memory + 64 * 64 * 4);
    std::vector<float> c(64 * 64);
    device().upload(memory, twos.data(), twos.size() * 2);
    blas().gemm(call, workspace(large), large);
    device().download(c.data(), call.c, c.size() * sizeof(float));
    device().synchronize();
    device().release(memory);
    for (const float x : c) ASSERT_EQ(x, 256.0f);
  }
}

TEST_F(CudaBlas, AWrongLeadingDimensionIsAnErrorThatNamesTheCall) {
  std::mt19937 random(46);
  const BlasProblem problem({16, 8, 8}, {}, random);
  try {
    problem.on(device(), [&](BlasGemm call) {
      call.lda = 3;
      blas().gemm(call, nullptr, 0);
    });
    FAIL() << "lda 3 of 16 rows";
  } catch (const DeviceError& error) {
    EXPECT_FALSE(error.sticky());
    for (const char* part : {"cublasGemmEx", "CUBLAS_STATUS_INVALID_VALUE", "lda 3", "m 16"})
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST_F(CudaBlas, GivesTheSameBitsOnEveryStreamAndEveryTime) {
  std::mt19937 random(47);
  const BlasProblem problem({96, 80, 500}, {}, random);
  const auto gemm = [&](const BlasGemm& call) { blas().gemm(call, workspace(large), large); };
  const auto first = problem.on(device(), gemm);
  for (unsigned s = 0; s < device().streams(); ++s) {
    device().select(s);
    EXPECT_EQ(problem.on(device(), gemm), first);
  }
}

}  // namespace
}  // namespace ulpfuzz::kernels
