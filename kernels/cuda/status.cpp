#include "status.hpp"

#include <string>

namespace ulpfuzz::kernels::cuda {
namespace {

// "leaves the process in an inconsistent state and any further CUDA work will return the same
// error" (cudaError in the CUDA Runtime API), hardware errors, and a process or context that is
// not fit for CUDA.
bool listed(cudaError_t status) {
  switch (status) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContextIsDestroyed:
    case cudaErrorMpsClientTerminated:
    case cudaErrorCudartUnloading:
    case cudaErrorInitializationError:
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool loses_device(cudaError_t status) {
  if (status == cudaSuccess) return false;
  if (listed(status)) return true;
  cudaGetLastError();
  return cudaDeviceSynchronize() != cudaSuccess;
}

void check(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  const std::string what =
      std::string(call) + ": " + cudaGetErrorName(status) + ": " + cudaGetErrorString(status);
  const bool sticky = loses_device(status);
  throw DeviceError(what, sticky);
}

}  // namespace ulpfuzz::kernels::cuda
