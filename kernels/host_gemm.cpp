#include "host_run.hpp"
#include "ulpfuzz/kernels/gemm_programs.hpp"

namespace ulpfuzz::kernels::host {

void launch(const Gemm& gemm, float* workspace, Shuffle& shuffle) {
  with_programs(gemm, workspace,
                [&](const auto& program, std::size_t blocks) { run(program, blocks, shuffle); });
}

[[gnu::flatten]] ULPFUZZ_CLONES void launch(const Gemv& gemv, float* workspace, Shuffle& shuffle) {
  with_programs(gemv, workspace,
                [&](const auto& program, std::size_t blocks) { run(program, blocks, shuffle); });
}

}  // namespace ulpfuzz::kernels::host
