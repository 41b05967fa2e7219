#pragma once

#include <gtest/gtest.h>

#include "ulpfuzz/kernels/cuda/device.hpp"

namespace ulpfuzz::kernels::testing_support {

/// Tests that need a CUDA device, and are skipped without one.
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto reason = cuda::unavailable()) GTEST_SKIP() << "no CUDA device: " << *reason;
  }
  /// Made at the first use.
  Device& device() {
    if (device_ == nullptr) device_ = cuda::make_device();
    return *device_;
  }

 private:
  std::unique_ptr<Device> device_;
};

}  // namespace ulpfuzz::kernels::testing_support
