#include "host_run.hpp"
#include "ulpfuzz/kernels/pack_programs.hpp"

namespace ulpfuzz::kernels::host {

void launch(const Pack& pack, float* workspace, Shuffle& shuffle) {
  with_programs(pack, workspace,
                [&](const auto& program, std::size_t blocks) { run(program, blocks, shuffle); });
}

}  // namespace ulpfuzz::kernels::host
