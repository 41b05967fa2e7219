#include "ulpfuzz/repro/repro.hpp"

#include "c/cpp.hpp"
#include "c/cuda.hpp"
#include "python/languages.hpp"

namespace ulpfuzz::repro {

std::string program(const Failure& failure, Language language, const std::string& file) {
  switch (language) {
    case Language::cpp:
      return cpp_program(failure, file);
    case Language::torch:
      return torch_program(failure, file);
    case Language::jax:
      return jax_program(failure, file);
    case Language::numpy:
      return numpy_program(failure, file);
    case Language::cuda:
      break;
  }
  return cuda_program(failure, file);
}

}  // namespace ulpfuzz::repro
