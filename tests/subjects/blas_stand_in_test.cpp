#include "support/blas_stand_in.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace ulpfuzz::stand_in {
namespace {

using kernels::BlasGemm;
using kernels::BlasGemv;
using kernels::DeviceError;

/// A device with a BLAS whose memory is filled by hand.
struct Library {
  std::shared_ptr<Control> control = std::make_shared<Control>();
  GpuStandIn device;
  BlasStandIn blas{device};
  std::vector<void*> owned;

  explicit Library(unsigned seed = 1) : device(with_seed(seed)) {}
  std::shared_ptr<Control> with_seed(unsigned seed) {
    control->seed = seed;
    return control;
  }
  ~Library() {
    for (void* m : owned) device.release(m);
  }
  float* floats(std::size_t n, float value) {
    owned.push_back(device.allocate(n * sizeof(float)));
    auto* const x = static_cast<float*>(owned.back());
    std::fill_n(x, n, value);
    return x;
  }
  float* random(std::size_t n, std::mt19937& engine) {
    std::uniform_real_distribution<float> draw(-1.0f, 1.0f);
    float* const x = floats(n, 0);
    for (std::size_t i = 0; i < n; ++i) x[i] = draw(engine);
    return x;
  }
};

template <class F>
std::string blas_error(const F& f) {
  try {
    f();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return {};
}

// C as the documents state it, column-major: C = op(A) op(B) + beta C.
std::vector<double> naive(const BlasGemm& g, const std::vector<double>& before) {
  std::vector<double> c = before;
  const auto* a = static_cast<const float*>(g.a);
  const auto* b = static_cast<const float*>(g.b);
  for (std::size_t e = 0; e < g.entries; ++e)
    for (std::size_t i = 0; i < g.m; ++i)
      for (std::size_t j = 0; j < g.n; ++j) {
        const std::size_t at = e * g.c_stride + (g.row_major ? i * g.ldc + j : j * g.ldc + i);
        double sum = g.beta == 0 ? 0 : g.beta * before[at];
        for (std::size_t q = 0; q < g.k; ++q) {
          const bool a_lines = g.transpose_a != g.row_major, b_lines = g.transpose_b != g.row_major;
          sum += double{a[e * g.a_stride + (a_lines ? i * g.lda + q : q * g.lda + i)]} *
                 b[e * g.b_stride + (b_lines ? q * g.ldb + j : j * g.ldb + q)];
        }
        c[at] = sum;
      }
  return c;
}

constexpr float untouched = 77;

struct Drawn {
  BlasGemm call;
  std::size_t c_floats;
};

// A call with random sizes and leading dimensions, C all `untouched`.
Drawn draw(Library& library, std::mt19937& engine, bool row_major, bool ta, bool tb) {
  const auto below = [&](std::size_t n) { return engine() % n; };
  BlasGemm g;
  g.row_major = row_major;
  g.transpose_a = ta;
  g.transpose_b = tb;
  g.m = 1 + below(5);
  g.n = 1 + below(5);
  g.k = 1 + below(20);
  g.entries = 1 + below(3);
  const bool a_by_k = ta != row_major, b_by_k = tb == row_major;
  g.lda = (a_by_k ? g.k : g.m) + below(3);
  g.ldb = (b_by_k ? g.k : g.n) + below(3);
  g.ldc = (row_major ? g.n : g.m) + below(3);
  const std::size_t a = (a_by_k ? g.m : g.k) * g.lda, b = (b_by_k ? g.n : g.k) * g.ldb;
  const std::size_t c = (row_major ? g.m : g.n) * g.ldc;
  g.a_stride = below(2) * a;
  g.b_stride = below(2) * b;
  g.c_stride = c + below(2);
  g.a = library.random(g.entries * a, engine);
  g.b = library.random(g.entries * b, engine);
  g.beta = below(2) == 0 ? 0.0f : 0.5f;
  const std::size_t floats = g.entries * g.c_stride;
  g.c = library.floats(floats, untouched);
  return {g, floats};
}

void expect_product(Library& library, const Drawn& drawn, const std::string& what) {
  const std::vector<double> before(drawn.c_floats, untouched);
  library.device.synchronize();
  const std::vector<double> expected = naive(drawn.call, before);
  std::size_t computed = 0;
  for (std::size_t i = 0; i < drawn.c_floats; ++i) {
    ASSERT_NEAR(drawn.call.c[i], expected[i], 1e-5) << what << " [" << i << "]";
    computed += drawn.call.c[i] != untouched;
  }
  ASSERT_EQ(computed, drawn.call.entries * drawn.call.m * drawn.call.n) << what;
}

TEST(BlasStandIn, MultipliesAsDocumentedWhateverTheLayout) {
  std::mt19937 engine(3);
  for (int trial = 0; trial < 400; ++trial) {
    Library library;
    const bool row_major = trial % 8 >= 4;
    const Drawn d = draw(library, engine, row_major, trial % 2 == 1, trial % 4 >= 2);
    void* const room = library.floats(4096, 0);
    const std::size_t bytes = trial % 3 == 0 ? 0 : 4096 * sizeof(float);
    void* const workspace = bytes == 0 ? nullptr : room;
    if (row_major || trial % 16 >= 8)
      library.blas.lt_gemm(d.call, trial % library.blas.lt_algorithms(d.call, bytes), workspace,
                           bytes);
    else
      library.blas.gemm(d.call, workspace, bytes);
    expect_product(library, d, "trial " + std::to_string(trial));
    if (HasFatalFailure()) return;
  }
}

TEST(BlasStandIn, HasAlgorithmsThatRoundDifferently) {
  std::mt19937 engine(5);
  Library library;
  const float* const a = library.random(64, engine);
  const float* const b = library.random(8 * 64, engine);
  float* const room = library.floats(64, 0);
  BlasGemm g{.transpose_a = true, .m = 1, .n = 8, .k = 64, .a = a, .lda = 64, .b = b, .ldb = 64};
  std::set<std::vector<float>> results;
  EXPECT_EQ(library.blas.lt_algorithms(g, 0), 3u);
  ASSERT_EQ(library.blas.lt_algorithms(g, 256), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    g.c = library.floats(8, 0);
    library.blas.lt_gemm(g, i, room, 256);
    library.device.synchronize();
    results.insert({g.c, g.c + 8});
  }
  EXPECT_EQ(results.size(), 4u);
}

// Of two products that use one workspace on two streams at once, some come out wrong.
TEST(BlasStandIn, ShowsWorkspacesThatStreamsShare) {
  std::size_t wrong[2] = {};  // each has its own, both share one
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const bool share : {false, true}) {
      Library library{seed};
      float* const first = library.floats(64, 0);
      float* const second = share ? first : library.floats(64, 0);
      BlasGemm g[2];
      for (int i = 0; i < 2; ++i) {
        const auto x = static_cast<float>(i + 1);
        g[i] = {.m = 1, .n = 1, .k = 8, .a = library.floats(8, x), .b = library.floats(8, 1)};
        g[i].ldb = 8;
        g[i].c = library.floats(1, 0);
        library.device.select(static_cast<unsigned>(i));
        library.blas.gemm(g[i], i == 0 ? first : second, 256);
      }
      library.device.synchronize();
      wrong[share] += *g[0].c != 8 || *g[1].c != 16;
    }
  EXPECT_EQ(wrong[0], 0u);
  EXPECT_GT(wrong[1], 0u);
}

TEST(BlasStandIn, DoesNotReadCWhereBetaIsZero) {
  Library library;
  BlasGemm g{.m = 1, .n = 1, .k = 1, .a = library.floats(1, 2), .b = library.floats(1, 3)};
  g.c = library.floats(1, NAN);
  library.blas.gemm(g, nullptr, 0);
  BlasGemv v{.m = 1, .n = 1, .a = library.floats(1, 2), .x = library.floats(1, 3)};
  v.y = library.floats(1, NAN);
  library.blas.gemv(v);
  library.device.synchronize();
  EXPECT_EQ(*g.c, 6);
  EXPECT_EQ(*v.y, 6);
  g.beta = v.beta = 1;
  library.blas.gemm(g, nullptr, 0);
  library.blas.gemv(v);
  library.device.synchronize();
  EXPECT_EQ(*g.c, 12);
  EXPECT_EQ(*v.y, 12);
}

TEST(BlasStandIn, MultipliesVectors) {
  std::mt19937 engine(4);
  for (const bool transpose : {false, true}) {
    Library library;
    const float* const a = library.random(5 * 3, engine);
    const float* const x = library.random(4, engine);
    BlasGemv v{.transpose = transpose, .m = 4, .n = 3, .a = a, .lda = 5, .x = x, .beta = 2};
    v.y = library.floats(4, untouched);
    library.blas.gemv(v);
    library.device.synchronize();
    for (std::size_t i = 0; i < (transpose ? 3 : 4); ++i) {
      double sum = 2.0 * untouched;
      for (std::size_t q = 0; q < (transpose ? 4 : 3); ++q)
        sum += double{transpose ? a[i * 5 + q] : a[q * 5 + i]} * x[q];
      EXPECT_NEAR(v.y[i], sum, 1e-5);
    }
    if (transpose) {
      EXPECT_EQ(v.y[3], untouched);
    }
  }
}

TEST(BlasStandIn, OfNothingDoesWhatTheLibraryDoes) {
  Library library;
  float* const one = library.floats(1, 1);
  BlasGemm g{.m = 1, .n = 1, .k = 0, .a = one, .b = one, .beta = 0};
  g.c = library.floats(1, untouched);
  g.m = 0;
  library.blas.gemm(g, nullptr, 0);
  library.device.synchronize();
  EXPECT_EQ(*g.c, untouched);
  EXPECT_EQ(blas_error([&] { library.blas.lt_algorithms(g, 0); }),
            "cublasLtMatmulAlgoGetHeuristic: CUBLAS_STATUS_INVALID_VALUE (an empty matrix)");
  g.m = 1;
  library.blas.gemm(g, nullptr, 0);
  BlasGemv v{.m = 1, .n = 0, .a = one, .x = one, .beta = 0};
  v.y = library.floats(1, untouched);
  library.blas.gemv(v);
  library.device.synchronize();
  EXPECT_EQ(*g.c, 0);
  EXPECT_EQ(*v.y, untouched);
}

}  // namespace
}  // namespace ulpfuzz::stand_in
