#include "ulpfuzz/runner/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace ulpfuzz {
namespace {

TEST(Environment, TellsWhatChoosesKernelsAndNotWhereThingsLie) {
  setenv("OPENBLAS_CORETYPE", "Haswell", 1);
  setenv("OMP_TOOL_LIBRARIES", "/opt/tool.so", 1);
  setenv("CUDA_HOME", "/opt/cuda", 1);
  const Environment e = environment_of({});
  const std::string text = describe(e);
  for (const char* name : {"OPENBLAS_CORETYPE", "OMP_TOOL_LIBRARIES", "CUDA_HOME"}) unsetenv(name);
  EXPECT_EQ(e.variables.at("OPENBLAS_CORETYPE"), "Haswell");
  EXPECT_EQ(e.variables.count("OMP_TOOL_LIBRARIES"), 0);
  EXPECT_EQ(e.variables.count("CUDA_HOME"), 0);
  EXPECT_EQ(text.find("/opt"), std::string::npos);
}

}  // namespace
}  // namespace ulpfuzz
