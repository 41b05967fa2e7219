#include "blas_profile.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <bit>
#include <optional>
#include <string>

#include "blas_calls.hpp"

namespace ulpfuzz::gpu {
namespace {

using kernels::Blas;
using kernels::BlasGemm;
using kernels::MathMode;
using kernels::Product;
using Library = BlasSettings::Library;

// What of a product decides how it is computed.
class ShapeHash {
 public:
  explicit ShapeHash(const BlasProduct& p)
      : shape_{p.m, p.n, p.k, p.entries, p.a.transposed, p.b.transposed, p.beta != 0} {}
  /// A number below `count`; another one every time.
  std::size_t choose(std::size_t count) {
    return XXH3_64bits_withSeed(shape_.data(), sizeof(shape_), draws_++) % count;
  }

 private:
  std::array<std::uint64_t, 7> shape_;
  std::uint64_t draws_ = 0;
};

/// Workspace of a call.
struct Room {
  void* at = nullptr;
  std::size_t bytes = 0;
};

// Row y of every entry is the bias.
void spread_bias(Session& session, const Product& p) {
  session.launch(kernels::Move{.kind = kernels::Move::Kind::columns,
                               .x = p.bias,
                               .x_columns = p.n,
                               .width = p.n,
                               .entries = p.entries,
                               .rows = p.m,
                               .columns = p.n,
                               .y = p.y});
}

void apply_phi(Session& session, const Product& p) {
  if (p.phi == kernels::Phi::identity) return;
  session.launch(kernels::Map{.kind = kernels::Map::Kind::activation,
                              .phi = p.phi,
                              .alpha = p.alpha,
                              .x = p.y,
                              .count = p.entries * p.m * p.n,
                              .y = p.y});
}

class BlasProfile final : public Profile {
 public:
  explicit BlasProfile(const BlasSettings& settings) : settings_(settings) {}

  std::string description() const override;
  Arithmetic arithmetic(int architecture) const override;
  void multiply(Session& session, const Product& product) const override;

 private:
  BlasOperand operand(Session& session, const Matrix& matrix) const;
  Room room(Session& session, ShapeHash& hash) const;
  Room largest_room(Session& session) const;
  void call(Session& session, const BlasProduct& product) const;
  void call_lt(Session& session, const BlasProduct& product) const;

  BlasSettings settings_;
};

std::string BlasProfile::description() const {
  const char* how = settings_.mode == MathMode::pedantic ? "pedantic math"
                    : settings_.mode == MathMode::tf32   ? "TF32 math"
                    : settings_.mode == MathMode::bf16x9 ? "fp32 emulated by nine bf16 products"
                                                         : "default math";
  std::string operands;
  if (settings_.operand != Format::fp32)
    operands = fmt::format(", operands rounded to {}", traits(settings_.operand).name);
  if (settings_.library == Library::lt)
    return fmt::format(
        "cublasLtMatmul, {}{}; a hash of the shape chooses algorithm, layout and workspace", how,
        operands);
  return fmt::format("cublasGemmEx{}, {}{}; a hash of the shape chooses the workspace",
                     settings_.operand == Format::fp32 ? " and cublasSgemv" : "", how, operands);
}

// A library may add on ordinary cores what it converts: at most n roundings of n terms, which the
// units of 24 fractional bits come to as well, those of 25 not.
MatmulUnit half_unit(int architecture) {
  if (architecture >= 80) return matmul_units::ampere_half;
  return architecture >= 75 ? matmul_units::turing_half : matmul_units::volta_half;
}

constexpr std::uint32_t most_parts = 64;  // of split-K

Arithmetic BlasProfile::arithmetic(int architecture) const {
  Arithmetic a;
  if (settings_.operand != Format::fp32) {
    a.operand = settings_.operand;
    a.unit = half_unit(architecture);
  } else if (settings_.mode == MathMode::tf32) {
    a.operand = Format::tf32;
    a.conversion = Rounding::nearest_away;
    a.unit = architecture >= 90 ? matmul_units::hopper_tf32 : matmul_units::ampere_tf32;
    a.mixed = true;
  } else if (settings_.mode == MathMode::bf16x9) {
    a.split = Split::bf16x9;
    a.unit = half_unit(architecture);
    a.mixed = true;
  }
  if (a.unit.block != 0) a.partials = most_parts;
  return a;
}

BlasOperand BlasProfile::operand(Session& session, const Matrix& matrix) const {
  if (settings_.operand == Format::fp32)
    if (const std::optional<BlasOperand> there = in_place(matrix)) return *there;
  return packed(session, matrix, settings_.operand);
}

void BlasProfile::multiply(Session& session, const Product& product) const {
  if (product.m * product.n * product.entries == 0) return;
  if (product.bias != nullptr)
    spread_bias(session, product);
  else if (product.k == 0)
    session.device().fill(product.y, std::bit_cast<std::uint32_t>(0.0f),
                          product.entries * product.m * product.n);
  if (product.k != 0) {
    const Product p = folded(product);
    const BlasProduct blas{.m = p.m,
                           .n = p.n,
                           .k = p.k,
                           .entries = p.entries,
                           .a = operand(session, Matrix::left_of(p)),
                           .b = operand(session, Matrix::right_of(p)),
                           .y = p.y,
                           .beta = p.bias == nullptr ? 0.0f : 1.0f,
                           .operand = settings_.operand,
                           .mode = settings_.mode};
    if (settings_.library == Library::lt)
      call_lt(session, blas);
    else
      call(session, blas);
  }
  apply_phi(session, product);
}

Room BlasProfile::room(Session& session, ShapeHash& hash) const {
  return hash.choose(2) == 0 ? Room{} : largest_room(session);
}

Room BlasProfile::largest_room(Session& session) const {
  if (settings_.workspace_bytes == 0) return {};
  return {session.workspace(settings_.workspace_bytes), settings_.workspace_bytes};
}

void BlasProfile::call(Session& session, const BlasProduct& product) const {
  if (const std::optional<kernels::BlasGemv> gemv = as_gemv(product))
    return session.blas().gemv(*gemv);
  ShapeHash hash(product);
  const Room workspace = room(session, hash);
  each_batch(product, false, [&](const BlasGemm& gemm) {
    session.blas().gemm(gemm, workspace.at, workspace.bytes);
  });
}

// The algorithm of a call: false where the heuristic lists none.
bool send(Blas& blas, const BlasGemm& gemm, ShapeHash hash, const Room& workspace) {
  const std::size_t count = blas.lt_algorithms(gemm, workspace.bytes);
  if (count == 0) return false;
  blas.lt_gemm(gemm, hash.choose(count), workspace.at, workspace.bytes);
  return true;
}

// Not every layout has algorithms, least of all without a workspace.
void BlasProfile::call_lt(Session& session, const BlasProduct& product) const {
  ShapeHash hash(product);
  const Room chosen = room(session, hash);
  const bool row_major = hash.choose(2) == 1;
  each_batch(product, row_major, [&](const BlasGemm& gemm) {
    if (send(session.blas(), gemm, hash, chosen)) return;
    const Room all = largest_room(session);
    const BlasGemm turned = transposed(gemm);
    if (send(session.blas(), turned, hash, chosen) || send(session.blas(), gemm, hash, all) ||
        send(session.blas(), turned, hash, all))
      return;
    throw kernels::DeviceError(
        fmt::format("cublasLtMatmulAlgoGetHeuristic: no algorithm for {} x {} x {}", product.m,
                    product.n, product.k),
        false);
  });
}

constexpr BlasSettings blas(MathMode mode, Format operand = Format::fp32) {
  return {.library = Library::blas, .mode = mode, .operand = operand};
}
constexpr BlasSettings lt(MathMode mode) { return {.library = Library::lt, .mode = mode}; }

constexpr std::array profiles{NamedBlas{"cublas/fp32", blas(MathMode::standard)},
                              NamedBlas{"cublas/pedantic", blas(MathMode::pedantic)},
                              NamedBlas{"cublas/tf32", blas(MathMode::tf32)},
                              NamedBlas{"cublas/bf16x9", blas(MathMode::bf16x9)},
                              NamedBlas{"cublas/bf16", blas(MathMode::standard, Format::bf16)},
                              NamedBlas{"cublas/fp16", blas(MathMode::standard, Format::fp16)},
                              NamedBlas{"cublaslt/fp32", lt(MathMode::standard)},
                              NamedBlas{"cublaslt/pedantic", lt(MathMode::pedantic)},
                              NamedBlas{"cublaslt/tf32", lt(MathMode::tf32)},
                              NamedBlas{"cublaslt/bf16x9", lt(MathMode::bf16x9)}};

}  // namespace

std::shared_ptr<const Profile> make_blas_profile(const BlasSettings& settings) {
  return std::make_shared<BlasProfile>(settings);
}

std::span<const NamedBlas> blas_profiles() { return profiles; }

}  // namespace ulpfuzz::gpu
