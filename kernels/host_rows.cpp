#include "host_run.hpp"
#include "ulpfuzz/kernels/row_programs.hpp"

namespace ulpfuzz::kernels::host {

[[gnu::flatten]] ULPFUZZ_CLONES void launch(const Softmax& softmax, float* workspace,
                                            Shuffle& shuffle) {
  with_programs(softmax, workspace,
                [&](const auto& program, std::size_t blocks) { run(program, blocks, shuffle); });
}

[[gnu::flatten]] ULPFUZZ_CLONES void launch(const Norm& norm, float* workspace, Shuffle& shuffle) {
  with_programs(norm, workspace,
                [&](const auto& program, std::size_t blocks) { run(program, blocks, shuffle); });
}

[[gnu::flatten]] ULPFUZZ_CLONES void launch(const RowGradient& gradient, float* workspace,
                                            Shuffle& shuffle) {
  with_programs(gradient, workspace,
                [&](const auto& program, std::size_t blocks) { run(program, blocks, shuffle); });
}

[[gnu::flatten]] ULPFUZZ_CLONES void launch(const ColumnSum& sum, float* workspace,
                                            Shuffle& shuffle) {
  with_programs(sum, workspace,
                [&](const auto& program, std::size_t blocks) { run(program, blocks, shuffle); });
}

}  // namespace ulpfuzz::kernels::host
