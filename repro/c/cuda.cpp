#include "cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "program.hpp"

namespace ulpfuzz::repro {
namespace {

constexpr const char* checks = R"(void check(cudaError_t e) {
  if (e == cudaSuccess) return;
  std::printf("CUDA: %s\n", cudaGetErrorString(e));
  std::exit(e == cudaErrorNoDevice || e == cudaErrorInsufficientDriver ? 77 : 2);
}
)";

constexpr const char* blas_check = R"(void check(cublasStatus_t s) {
  if (s == CUBLAS_STATUS_SUCCESS) return;
  std::printf("cuBLAS: status %d\n", int(s));
  std::exit(2);
}
)";

constexpr const char* managed = R"(
// Arrays that host and device both see.
template <class T>
struct Managed {
  using value_type = T;
  T* allocate(std::size_t n) {
    T* p;
    check(cudaMallocManaged(&p, n * sizeof(T)));
    return p;
  }
  void deallocate(T* p, std::size_t) { cudaFree(p); }
  bool operator==(const Managed&) const { return true; }
  bool operator!=(const Managed&) const { return false; }
};
using Values = std::vector<float, Managed<float>>;

)";

constexpr const char* launches = R"(int blocks(int threads) { return threads / 128 + 1; }
void finish() {
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
}

)";

class CudaProgram final : public Program {
 public:
  CudaProgram(const Failure& failure, const std::string& file, Dialect dialect)
      : Program(failure, file, std::move(dialect), true) {}

 private:
  std::string compiler() const override { return "nvcc -O2 -std=c++17 --fmad=false"; }
  std::set<std::string> standard_headers() const override {
    return {"<cmath>", "<cstdio>", "<cstdlib>", "<vector>"};
  }
  std::string device_mark() const override { return "__device__ "; }
  std::string managed_mark() const override { return "__managed__ "; }

  std::string values_type() const override {
    std::string text = "\n";
    text += checks;
    const auto headers = of_kernels(&Kernel::headers);
    if (std::any_of(headers.begin(), headers.end(),
                    [](const std::string& h) { return h.find("cublas") != std::string::npos; }))
      text += blas_check;
    text += managed;
    text += launches;
    return text;
  }

  std::string map_helper() const override {
    return "template <float (*F)(float)>\n__global__ void map(const float* x, int count, float* y) "
           "{\n  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < count) y[i] = "
           "F(x[i]);\n}\n\n";
  }

  std::string array_kernel(const Kernel& kernel) const override {
    if (!kernel.call.empty()) return host_kernel(kernel);
    std::string text = kernel.comment.empty() ? "" : fmt::format("// {}\n", kernel.comment);
    std::string parameters;
    for (const std::string& a : kernel.arrays) parameters += fmt::format("const float* {}, ", a);
    for (const std::string& n : kernel.sizes) parameters += fmt::format("int {}, ", n);
    text += wrapped(fmt::format("__global__ void {}({}float* y) {{", kernel.name, parameters), 0);
    text += fmt::format("  const int {} = blockIdx.x * blockDim.x + threadIdx.x;\n", kernel.index);
    text += fmt::format("  if ({} >= {}) return;\n", kernel.index, kernel.count);
    for (const std::string& line : kernel.body) text += wrapped(line, 2);
    return text + "}\n\n";
  }

  std::string statement(const Statement& s, bool last) const override {
    const Kernel& kernel = layout().kernel(s.kernel);
    if (!kernel.call.empty()) return host_statement(s, last);
    std::string arguments;
    for (const std::string& a : s.arrays) arguments += fmt::format("{}.data(), ", a);
    for (const Size& size : s.sizes) arguments += size.text() + ", ";
    std::size_t count = 0;
    if (!kernel.maps())
      count = static_cast<std::size_t>(
          std::find(kernel.sizes.begin(), kernel.sizes.end(), kernel.count) - kernel.sizes.begin());
    std::string text = fmt::format("  Values {}({});\n", s.result, s.elements.text());
    const std::string name = kernel.maps() ? fmt::format("map<{}>", kernel.name) : kernel.name;
    text += wrapped(fmt::format("{}<<<blocks({}), 128>>>({}{}.data());", name,
                                s.sizes[count].text(), arguments, s.result),
                    2);
    text += "  finish();\n";
    if (last) text += fmt::format("  return {};\n", s.result);
    return text;
  }
};

bool host_only(const Scene& s, const std::string& subject) {
  return s.check == Check::environment || s.check == Check::red_zone ||
         subject == "fault/order_by_address" || subject == "fault/racing_atomics" ||
         subject == "fault/flushes_subnormals";
}

Dialect device_dialect(const std::string& subject) {
  if (subject.starts_with("cublas")) return cublas_dialect(subject);
  if (subject.starts_with("openblas") || subject.starts_with("eigen"))
    return plain_dialect(subject);
  return dialect_of(subject);
}

}  // namespace

std::string cuda_program(const Failure& failure, const std::string& file) {
  const std::string subject(failure.subject.name());
  Dialect dialect = device_dialect(subject);
  dialect.remarks.push_back("It ends with 77 where there is no CUDA device.");
  CudaProgram program(failure, file, std::move(dialect));
  if (host_only(program.scene(), subject))
    throw std::invalid_argument(fmt::format("{}: {} is the host's alone; cpp would fit", subject,
                                            name(failure.verdict.failure)));
  return program.write();
}

}  // namespace ulpfuzz::repro
