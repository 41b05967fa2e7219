#include "support/blas_stand_in.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "support/blas_arithmetic.hpp"

namespace ulpfuzz::stand_in {
namespace {

using kernels::BlasGemm;
using kernels::BlasGemv;
using kernels::MathMode;

constexpr std::size_t splits = 4;

/// How a product is computed: whole sums in some order, or in parts that meet in the workspace.
struct Algorithm {
  Order order;
  bool split = false;
};

[[noreturn]] void fail(const std::string& function, const char* status, const std::string& why) {
  throw kernels::DeviceError(fmt::format("{}: CUBLAS_STATUS_{} ({})", function, status, why),
                             false);
}

std::string gemm_name(const BlasGemm& g) {
  return g.entries > 1 ? "cublasGemmStridedBatchedEx" : "cublasGemmEx";
}

bool aligned(const void* at, std::size_t bytes) {
  return reinterpret_cast<std::uintptr_t>(at) % bytes == 0;
}

void check_ld(const std::string& function, const char* name, std::size_t ld, std::size_t rows) {
  if (ld < std::max<std::size_t>(1, rows))
    fail(function, "INVALID_VALUE", fmt::format("{} {} for {}", name, ld, rows));
}

void check_sizes(const std::string& function, std::initializer_list<std::size_t> sizes) {
  for (const std::size_t size : sizes)
    if (size > 0x7fffffffu) fail(function, "INVALID_VALUE", fmt::format("a size of {}", size));
}

std::size_t extent_of_c(const BlasGemm& g) {
  const std::size_t lines = g.row_major ? g.m : g.n, line = g.row_major ? g.n : g.m;
  return lines * line == 0 ? 0 : (lines - 1) * g.ldc + line;
}

void check_shape(const std::string& f, const BlasGemm& g) {
  check_sizes(f, {g.m, g.n, g.k, g.lda, g.ldb, g.ldc, g.entries});
  check_ld(f, "lda", g.lda, g.transpose_a != g.row_major ? g.k : g.m);
  check_ld(f, "ldb", g.ldb, g.transpose_b != g.row_major ? g.n : g.k);
  check_ld(f, "ldc", g.ldc, g.row_major ? g.n : g.m);
  if (g.entries > 1 && g.c_stride < extent_of_c(g))
    fail(f, "INVALID_VALUE", fmt::format("entries of C overlap: stride {}", g.c_stride));
  const std::size_t size = g.operand == Format::fp32 ? 4 : 2;
  if (!aligned(g.a, size) || !aligned(g.b, size) || !aligned(g.c, sizeof(float)))
    fail(f, "INVALID_VALUE", "an operand that is not aligned to its elements");
}

void check_workspace(const std::string& function, void* workspace, std::size_t bytes,
                     std::size_t alignment) {
  if ((workspace == nullptr) != (bytes == 0))
    fail(function, "INVALID_VALUE", fmt::format("a workspace of {} bytes", bytes));
  if (!aligned(workspace, alignment))
    fail(function, "INVALID_VALUE", fmt::format("a workspace not aligned to {} bytes", alignment));
}

bool overlap(const Range& a, const Range& b) {
  const auto* x = static_cast<const char*>(a.at);
  const auto* y = static_cast<const char*>(b.at);
  return a.bytes != 0 && b.bytes != 0 && x < y + b.bytes && y < x + a.bytes;
}

std::size_t split_bytes(const BlasGemm& g) {
  return splits * g.entries * g.m * g.n * sizeof(float);
}

// Calls use(terms, e, i, j) for every element.
template <class Use>
void each_element(const BlasGemm& g, int architecture, const Use& use) {
  for (std::size_t e = 0; e < g.entries; ++e) {
    const Terms terms(g, architecture, e);
    for (std::size_t i = 0; i < g.m; ++i)
      for (std::size_t j = 0; j < g.n; ++j) use(terms, e, i, j);
  }
}

void queue_whole(GpuStandIn& device, const BlasGemm& g, Order order) {
  const int architecture = device.architecture();
  device.queue({range_of_a(g), range_of_b(g), range_of_c(g)}, [g, architecture, order] {
    each_element(g, architecture,
                 [&](const Terms& terms, std::size_t e, std::size_t i, std::size_t j) {
                   store(g.beta, terms.sum(order, i, j, 0, g.k), element_of_c(g, e, i, j));
                 });
  });
}

// Two kernels, so that a workspace that streams share by mistake shows.
void queue_split(GpuStandIn& device, const BlasGemm& g, float* parts) {
  const int architecture = device.architecture();
  const Range room = {parts, split_bytes(g)};
  device.queue({range_of_a(g), range_of_b(g), room}, [g, architecture, parts] {
    float* to = parts;
    each_element(
        g, architecture, [&](const Terms& terms, std::size_t, std::size_t i, std::size_t j) {
          for (std::size_t s = 0; s < splits; ++s)
            *to++ = terms.sum(Order::forwards, i, j, g.k * s / splits, g.k * (s + 1) / splits);
        });
  });
  device.queue({range_of_c(g), room}, [g, parts] {
    const float* from = parts;
    for (std::size_t e = 0; e < g.entries; ++e)
      for (std::size_t i = 0; i < g.m; ++i)
        for (std::size_t j = 0; j < g.n; ++j) {
          float sum = *from++;
          for (std::size_t s = 1; s < splits; ++s) sum += *from++;
          store(g.beta, sum, element_of_c(g, e, i, j));
        }
  });
}

void queue_gemm(GpuStandIn& device, const std::string& f, const BlasGemm& g,
                const Algorithm& algorithm, void* workspace, std::size_t bytes) {
  if (g.m == 0 || g.n == 0 || g.entries == 0) return;
  const Range c = range_of_c(g);
  if (overlap(c, range_of_a(g)) || overlap(c, range_of_b(g)) || overlap(c, {workspace, bytes}))
    fail(f, "INVALID_VALUE", "C overlaps an operand or the workspace");
  if (algorithm.split)
    queue_split(device, g, static_cast<float*>(workspace));
  else
    queue_whole(device, g, algorithm.order);
}

// Splits are offered where there is room for the partial sums, eight lanes where loads of four
// elements are aligned.
std::vector<Algorithm> algorithms(const BlasGemm& g, std::size_t workspace_bytes) {
  std::vector<Algorithm> list = {{Order::forwards}, {Order::backwards}};
  const std::size_t size = g.operand == Format::fp32 ? 16 : 8;
  if (aligned(g.a, size) && aligned(g.b, size) && g.lda % 4 == 0 && g.ldb % 4 == 0)
    list.push_back({Order::eight_lanes});
  if (g.k >= 2 * splits && split_bytes(g) <= workspace_bytes)
    list.push_back({Order::forwards, true});
  return list;
}

}  // namespace

BlasStandIn::BlasStandIn(kernels::Device& device) : device_(dynamic_cast<GpuStandIn&>(device)) {}

std::string BlasStandIn::unsupported(MathMode mode) const {
  const auto& list = device_.control().unsupported;
  if (std::find(list.begin(), list.end(), mode) == list.end()) return {};
  return "the stand-in was told not to offer this mode";
}

void BlasStandIn::check_mode(const BlasGemm& g) const {
  const bool half = g.operand == Format::fp16 || g.operand == Format::bf16;
  const bool plain = g.mode == MathMode::standard || g.mode == MathMode::pedantic;
  if ((!half && g.operand != Format::fp32) || (half && !plain) || !unsupported(g.mode).empty())
    fail(gemm_name(g), "NOT_SUPPORTED", fmt::format("mode {}", static_cast<int>(g.mode)));
}

void BlasStandIn::gemm(const BlasGemm& g, void* workspace, std::size_t bytes) {
  const std::string f = gemm_name(g);
  device_.begin(Call::blas, f);
  if (g.row_major) fail(f, "INVALID_VALUE", "it knows no row-major matrices");
  check_mode(g);
  check_shape(f, g);
  check_workspace(f, workspace, bytes, 256);
  queue_gemm(device_, f, g, algorithms(g, bytes).back(), workspace, bytes);
}

void BlasStandIn::gemv(const BlasGemv& g) {
  const std::string f = "cublasSgemv";
  device_.begin(Call::blas, f);
  check_sizes(f, {g.m, g.n, g.lda});
  check_ld(f, "lda", g.lda, g.m);
  if (g.m == 0 || g.n == 0) return;  // y stays as it is, whatever beta
  const std::size_t size = g.transpose ? g.n : g.m, k = g.transpose ? g.m : g.n;
  const Range a = {g.a, ((g.n - 1) * g.lda + g.m) * sizeof(float)};
  const Range x = {g.x, k * sizeof(float)}, y = {g.y, size * sizeof(float)};
  if (overlap(y, a) || overlap(y, x)) fail(f, "INVALID_VALUE", "y overlaps an operand");
  device_.queue({a, x, y}, [g, size, k] {
    for (std::size_t i = 0; i < size; ++i) {
      std::vector<float> row;
      for (std::size_t q = 0; q < k; ++q)
        row.push_back(g.transpose ? g.a[i * g.lda + q] : g.a[q * g.lda + i]);
      store(g.beta, dot(row.data(), g.x, k, Order::eight_lanes), g.y + i);
    }
  });
}

std::size_t BlasStandIn::lt_algorithms(const BlasGemm& g, std::size_t bytes) {
  const std::string f = name(Call::heuristic);
  device_.begin(Call::heuristic, f);
  check_shape(f, g);
  check_mode(g);
  if (g.m * g.n * g.k * g.entries == 0) fail(f, "INVALID_VALUE", "an empty matrix");
  return device_.control().lists_algorithms ? algorithms(g, bytes).size() : 0;
}

void BlasStandIn::lt_gemm(const BlasGemm& g, std::size_t algorithm, void* workspace,
                          std::size_t bytes) {
  const std::string f = "cublasLtMatmul";
  device_.begin(Call::blas, f);
  check_shape(f, g);
  check_mode(g);
  check_workspace(f, workspace, bytes, 16);
  const auto list = algorithms(g, bytes);
  if (g.m * g.n * g.k * g.entries == 0 || algorithm >= list.size())
    fail(f, "INVALID_VALUE", fmt::format("algorithm {} of {}", algorithm, list.size()));
  queue_gemm(device_, f, g, list[algorithm], workspace, bytes);
}

}  // namespace ulpfuzz::stand_in
