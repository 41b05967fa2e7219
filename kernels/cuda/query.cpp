#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "kernels.hpp"
#include "ulpfuzz/kernels/cuda/device.hpp"

namespace ulpfuzz::kernels::cuda {
namespace {

constexpr int patience_ms = 60'000;  // the first start of a driver takes seconds

struct Answer {
  int architecture = 0;  // 0: no device
  std::string text;      // what it is, or why there is none
};

// 13000 as 13.0
std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// "580.65.06" of "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun Jul 27 ..."
std::string kernel_driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;)
    if (word.find('.') != std::string::npos &&
        word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  return "unknown";
}

std::string cublas_text() {
  int major = 0, minor = 0, patch = 0;
  cublasGetProperty(MAJOR_VERSION, &major);
  cublasGetProperty(MINOR_VERSION, &minor);
  cublasGetProperty(PATCH_LEVEL, &patch);
  return fmt::format("{}.{}.{}", major, minor, patch);
}

// Initialises CUDA. With no driver at all CUDA calls it too old.
cudaError_t describe(Answer& answer) {
  int driver = 0, runtime = 0, devices = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) return cudaErrorNoDevice;
  if (const cudaError_t status = cudaGetDeviceCount(&devices)) return status;
  if (devices == 0) return cudaErrorNoDevice;
  cudaDeviceProp device;
  if (const cudaError_t status = cudaGetDeviceProperties(&device, 0)) return status;
  if (const cudaError_t status = find_kernels()) return status;
  cudaRuntimeGetVersion(&runtime);
  answer.architecture = 10 * device.major + device.minor;
  answer.text = fmt::format("{}, sm_{}, driver {} (CUDA {}), CUDA {}, cuBLAS {}", device.name,
                            answer.architecture, kernel_driver(), version_text(driver),
                            version_text(runtime), cublas_text());
  return cudaSuccess;
}

[[noreturn]] void answer_from_child(int to) {
  Answer answer;
  if (const cudaError_t status = describe(answer)) answer = {0, cudaGetErrorString(status)};
  const std::string message = std::to_string(answer.architecture) + " " + answer.text + "\n";
  const ssize_t written = write(to, message.data(), message.size());
  _exit(written == static_cast<ssize_t>(message.size()) ? 0 : 1);
}

// The next line; nothing if it does not come, or takes too long. The end of the pipe may be open in
// other children meanwhile.
std::string read_line(int from) {
  std::string message;
  char part[512];
  while (message.empty() || message.back() != '\n') {
    pollfd waiting{from, POLLIN, 0};
    const int ready = poll(&waiting, 1, patience_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return {};
    const ssize_t got = read(from, part, sizeof(part));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};
    message.append(part, static_cast<std::size_t>(got));
  }
  return message;
}

Answer parsed(const std::string& message) {
  Answer answer;
  std::istringstream words(message);
  if (!(words >> answer.architecture) || words.get() != ' ')
    return {0, "the process that asked for CUDA devices did not answer"};
  std::getline(words, answer.text);
  return answer;
}

Answer ask() {
  int ends[2];
  if (pipe(ends) != 0) return {0, "no pipe to ask for CUDA devices through"};
  const pid_t child = fork();
  if (child == 0) answer_from_child(ends[1]);
  close(ends[1]);
  const std::string message = child < 0 ? std::string() : read_line(ends[0]);
  close(ends[0]);
  if (child > 0) {
    kill(child, SIGKILL);  // it has answered, or never will
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return parsed(message);
}

const Answer& answer() {
  static const Answer known = ask();
  return known;
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return fmt::format("{} {}", name, value == nullptr ? "unset" : value);
}

}  // namespace

std::optional<std::string> unavailable() {
  if (answer().architecture == 0) return answer().text;
  return std::nullopt;
}

int architecture() { return answer().architecture; }

std::string environment() {
  if (const auto reason = unavailable()) return "no device: " + *reason;
  return fmt::format("{}, {}, {}", answer().text, variable("CUBLAS_WORKSPACE_CONFIG"),
                     variable("NVIDIA_TF32_OVERRIDE"));
}

}  // namespace ulpfuzz::kernels::cuda
