#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "support/blas_stand_in.hpp"
#include "ulpfuzz/kernels/pack_programs.hpp"

namespace ulpfuzz::stand_in {
namespace {

using kernels::BlasGemm;
using kernels::DeviceError;
using kernels::MathMode;

/// A 2 x 3 by 3 x 4 product that is right, with a workspace.
struct Call {
  std::shared_ptr<Control> control = std::make_shared<Control>();
  GpuStandIn device{control};
  BlasStandIn blas{device};
  float* a = floats();
  float* b = floats();
  float* c = floats();
  float* workspace = floats();
  BlasGemm gemm{.m = 2, .n = 4, .k = 3, .a = a, .lda = 2, .b = b, .ldb = 3, .c = c, .ldc = 2};

  ~Call() {
    for (float* x : {a, b, c, workspace}) device.release(x);
  }
  std::string run(std::size_t bytes = 0) {
    try {
      blas.gemm(gemm, bytes == 0 ? nullptr : workspace, bytes);
      device.synchronize();
    } catch (const DeviceError& error) {
      return error.what();
    }
    return {};
  }

 private:
  float* floats() {
    auto* const x = static_cast<float*>(device.allocate(64 * sizeof(float)));
    std::fill_n(x, 64, 1.0f);
    return x;
  }
};

struct Wrong {
  const char* why;
  std::function<void(Call&)> change;
};

TEST(BlasStandIn, RefusesWhatTheLibraryRefusesAtTheCall) {
  const Wrong list[] = {
      {"INVALID_VALUE (lda 1 for 2)", [](Call& c) { c.gemm.lda = 1; }},
      {"INVALID_VALUE (ldb 2 for 3)", [](Call& c) { c.gemm.ldb = 2; }},
      {"INVALID_VALUE (ldc 1 for 2)", [](Call& c) { c.gemm.ldc = 1; }},
      {"INVALID_VALUE (lda 2 for 3)", [](Call& c) { c.gemm.transpose_a = true; }},
      {"INVALID_VALUE (ldb 3 for 4)", [](Call& c) { c.gemm.transpose_b = true; }},
      {"INVALID_VALUE (lda 0 for 0)", [](Call& c) { c.gemm.m = c.gemm.lda = 0; }},
      {"INVALID_VALUE (it knows no row-major matrices)", [](Call& c) { c.gemm.row_major = true; }},
      {"INVALID_VALUE (C overlaps an operand or the workspace)", [](Call& c) { c.gemm.c = c.b; }},
      {"INVALID_VALUE (an operand that is not aligned to its elements)",
       [](Call& c) { c.gemm.a = reinterpret_cast<const char*>(c.a) + 2; }},
      {"NOT_SUPPORTED (mode 2)",
       [](Call& c) {
         c.control->unsupported = {MathMode::tf32};
         c.gemm.mode = MathMode::tf32;
       }},
      {"NOT_SUPPORTED (mode 3)",
       [](Call& c) {
         c.gemm.mode = MathMode::bf16x9;
         c.gemm.operand = Format::bf16;
       }},
      {"NOT_SUPPORTED (mode 0)", [](Call& c) { c.gemm.operand = Format::tf32; }},
  };
  for (const Wrong& wrong : list) {
    Call call;
    wrong.change(call);
    EXPECT_EQ(call.run(), std::string("cublasGemmEx: CUBLAS_STATUS_") + wrong.why);
    EXPECT_EQ(call.control->faults, std::vector<std::string>{});
  }
  Call right;
  EXPECT_EQ(right.run(), "");
  EXPECT_EQ(right.c[7], 3);
}

TEST(BlasStandIn, RefusesBatchesThatOverlapAndWorkspacesThatDoNotFit) {
  Call call;
  call.gemm.entries = 2;
  call.gemm.c_stride = 7;
  EXPECT_EQ(call.run(),
            "cublasGemmStridedBatchedEx: CUBLAS_STATUS_INVALID_VALUE (entries of C "
            "overlap: stride 7)");
  call.gemm.c_stride = 8;
  EXPECT_EQ(call.run(), "");
  ++call.workspace;
  EXPECT_EQ(call.run(32),
            "cublasGemmStridedBatchedEx: CUBLAS_STATUS_INVALID_VALUE (a workspace "
            "not aligned to 256 bytes)");
  --call.workspace;
  EXPECT_EQ(call.run(32), "");
}

TEST(BlasStandIn, FindsOperandsThatReachOutOfTheirMemoryWhenTheWorkIsDone) {
  for (int operand = 0; operand < 3; ++operand) {
    Call call;
    if (operand == 0) call.gemm.lda = 32;
    if (operand == 1) call.gemm.ldb = 21;
    if (operand == 2) call.gemm.ldc = 21;
    const std::string error = call.run();
    EXPECT_EQ(error.rfind("cudaStreamSynchronize: an illegal memory access", 0), 0u) << error;
  }
}

TEST(BlasStandIn, MultipliesInTheModeAndFormatOfTheCall) {
  constexpr float x = 1 + 0x1p-9f;
  const auto product = [&](MathMode mode, Format operand) {
    Call call;
    call.gemm = {.m = 1, .n = 1, .k = 1, .a = call.a, .b = call.b, .c = call.c};
    call.gemm.mode = mode;
    call.gemm.operand = operand;
    const std::uint16_t half =
        operand == Format::fp16 ? kernels::fp16_bits(x) : kernels::bf16_bits(x);
    for (float* to : {call.a, call.b})
      operand == Format::fp32 ? void(*to = x + 0x1p-12f) : void(std::memcpy(to, &half, 2));
    EXPECT_EQ(call.run(), "");
    return double{*call.c};
  };
  const double full = double{x + 0x1p-12f} * (x + 0x1p-12f);
  EXPECT_EQ(product(MathMode::standard, Format::fp32), static_cast<float>(full));
  EXPECT_EQ(product(MathMode::tf32, Format::fp32), double{x} * x);
  EXPECT_NEAR(product(MathMode::bf16x9, Format::fp32), full, 0x1p-22);
  EXPECT_EQ(product(MathMode::standard, Format::fp16), double{x} * x);
  EXPECT_EQ(product(MathMode::standard, Format::bf16), 1);
}

}  // namespace
}  // namespace ulpfuzz::stand_in
