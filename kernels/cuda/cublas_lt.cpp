#include "cublas_lt.hpp"

#include <bit>
#include <stdexcept>

#include "blas_status.hpp"

namespace ulpfuzz::kernels::cuda {
namespace {

constexpr int most_algorithms = 32;

// Owns a descriptor of cublasLt and sets its attributes.
template <class Descriptor, cublasStatus_t (*destroy)(Descriptor)>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (of_ != nullptr) destroy(of_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Descriptor* to_create() { return &of_; }
  operator Descriptor() const { return of_; }  // NOLINT: as cublasLt takes it

 private:
  Descriptor of_ = nullptr;
};

using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;

template <class Value>
void set(const Layout& layout, cublasLtMatrixLayoutAttribute_t attribute, Value value) {
  check(cublasLtMatrixLayoutSetAttribute(layout, attribute, &value, sizeof(value)),
        "cublasLtMatrixLayoutSetAttribute");
}

void describe(Layout& layout, const BlasGemm& call, cudaDataType type, std::size_t rows,
              std::size_t columns, std::size_t leading, std::size_t stride) {
  check(cublasLtMatrixLayoutCreate(layout.to_create(), type, rows, columns,
                                   static_cast<std::int64_t>(leading)),
        "cublasLtMatrixLayoutCreate", call);
  set(layout, CUBLASLT_MATRIX_LAYOUT_ORDER,
      std::int32_t{call.row_major ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL});
  set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, std::int32_t{blas_size(call.entries)});
  set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, static_cast<std::int64_t>(stride));
}

// The largest power of two, at most 256, that divides the address: what a kernel may rely on.
std::uint32_t alignment(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address) | 256;
  return std::uint32_t{1} << std::countr_zero(bits);
}

// A call as cublasLt has it.
class Description {
 public:
  explicit Description(const BlasGemm& call) {
    check(cublasLtMatmulDescCreate(operation.to_create(), compute_type(call.mode), CUDA_R_32F),
          "cublasLtMatmulDescCreate", call);
    set(CUBLASLT_MATMUL_DESC_TRANSA, std::int32_t{call.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N});
    set(CUBLASLT_MATMUL_DESC_TRANSB, std::int32_t{call.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N});
    emulate(call);
    const cudaDataType type = data_type(call.operand);
    describe(a, call, type, call.transpose_a ? call.k : call.m, call.transpose_a ? call.m : call.k,
             call.lda, call.a_stride);
    describe(b, call, type, call.transpose_b ? call.n : call.k, call.transpose_b ? call.k : call.n,
             call.ldb, call.b_stride);
    describe(c, call, CUDA_R_32F, call.m, call.n, call.ldc, call.c_stride);
  }

  Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> operation;
  Layout a, b, c;

 private:
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, Value value) {
    check(cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof(value)),
          "cublasLtMatmulDescSetAttribute");
  }

#if CUBLAS_VERSION >= 130100
  // Emulate whenever possible: by default it is done where it is faster alone.
  void emulate(const BlasGemm& call) {
    if (call.mode != MathMode::bf16x9) return;
    check(cublasLtEmulationDescCreate(emulation_.to_create()), "cublasLtEmulationDescCreate", call);
    const std::int32_t strategy = CUBLAS_EMULATION_STRATEGY_EAGER;
    check(cublasLtEmulationDescSetAttribute(emulation_, CUBLASLT_EMULATION_DESC_STRATEGY, &strategy,
                                            sizeof(strategy)),
          "cublasLtEmulationDescSetAttribute", call);
    set(CUBLASLT_MATMUL_DESC_EMULATION_DESCRIPTOR,
        static_cast<cublasLtEmulationDesc_t>(emulation_));
  }
  Owned<cublasLtEmulationDesc_t, cublasLtEmulationDescDestroy> emulation_;
#else
  void emulate(const BlasGemm&) {}
#endif
};

using Preference = Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy>;

template <class Value>
void set(const Preference& preference, cublasLtMatmulPreferenceAttributes_t attribute,
         Value value) {
  check(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof(value)),
        "cublasLtMatmulPreferenceSetAttribute");
}

void describe(Preference& preference, const BlasGemm& call, std::size_t workspace_bytes) {
  check(cublasLtMatmulPreferenceCreate(preference.to_create()), "cublasLtMatmulPreferenceCreate",
        call);
  set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{workspace_bytes});
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment(call.a));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment(call.b));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment(call.c));
  set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment(call.c));
}

LtMatmul::Algorithms heuristic(cublasLtHandle_t handle, const BlasGemm& call,
                               std::size_t workspace_bytes) {
  const Description description(call);
  Preference preference;
  describe(preference, call, workspace_bytes);
  std::array<cublasLtMatmulHeuristicResult_t, most_algorithms> results{};
  int found = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle, description.operation, description.a, description.b, description.c, description.c,
      preference, most_algorithms, results.data(), &found);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return {};
  check(status, "cublasLtMatmulAlgoGetHeuristic", call);
  LtMatmul::Algorithms algorithms;
  for (std::size_t i = 0; i < static_cast<std::size_t>(found); ++i)
    if (results[i].state == CUBLAS_STATUS_SUCCESS && results[i].workspaceSize <= workspace_bytes)
      algorithms.push_back(results[i].algo);
  return algorithms;
}

}  // namespace

LtMatmul::LtMatmul() { check(cublasLtCreate(&handle_), "cublasLtCreate"); }

LtMatmul::~LtMatmul() {
  if (handle_ != nullptr) cublasLtDestroy(handle_);
}

bool LtMatmul::emulates(const cublasLtMatmulAlgo_t& algorithm) {
#if CUBLAS_VERSION >= 130000
  std::int32_t does = 0;
  check(cublasLtMatmulAlgoCapGetAttribute(&algorithm,
                                          CUBLASLT_ALGO_CAP_FLOATING_POINT_EMULATION_SUPPORT, &does,
                                          sizeof(does), nullptr),
        "cublasLtMatmulAlgoCapGetAttribute");
  return does != 0;
#else
  static_cast<void>(algorithm);
  return true;
#endif
}

LtMatmul::Key LtMatmul::key(const BlasGemm& c, std::size_t workspace_bytes) {
  return {c.row_major,
          c.transpose_a,
          c.transpose_b,
          c.m,
          c.n,
          c.k,
          c.lda,
          c.ldb,
          c.ldc,
          c.a_stride,
          c.b_stride,
          c.c_stride,
          c.entries,
          static_cast<std::size_t>(c.operand),
          static_cast<std::size_t>(c.mode),
          workspace_bytes,
          std::size_t{alignment(c.a)} * 1024 + alignment(c.b),
          alignment(c.c)};
}

const LtMatmul::Algorithms& LtMatmul::algorithms(const BlasGemm& call,
                                                 std::size_t workspace_bytes) {
  constexpr std::size_t most_known = 1024;
  const Key wanted = key(call, workspace_bytes);
  const auto found = known_.find(wanted);
  if (found != known_.end()) return found->second;
  if (known_.size() == most_known) known_.clear();
  return known_.emplace(wanted, heuristic(handle_, call, workspace_bytes)).first->second;
}

void LtMatmul::run(const BlasGemm& call, std::size_t algorithm, void* workspace,
                   std::size_t workspace_bytes, cudaStream_t stream) {
  const Algorithms& listed = algorithms(call, workspace_bytes);
  if (algorithm >= listed.size())
    throw std::invalid_argument("algorithm " + std::to_string(algorithm) + " of " +
                                std::to_string(listed.size()));
  const Description description(call);
  const float alpha = 1;
  check(cublasLtMatmul(handle_, description.operation, &alpha, call.a, description.a, call.b,
                       description.b, &call.beta, call.c, description.c, call.c, description.c,
                       &listed[algorithm], workspace, workspace_bytes, stream),
        "cublasLtMatmul", call);
}

}  // namespace ulpfuzz::kernels::cuda
