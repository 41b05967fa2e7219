#include "host_run.hpp"
#include "ulpfuzz/kernels/element_programs.hpp"

namespace ulpfuzz::kernels::host {

[[gnu::flatten]] ULPFUZZ_CLONES void launch(const Map& map, float* workspace, Shuffle& shuffle) {
  with_programs(map, workspace,
                [&](const auto& program, std::size_t blocks) { run(program, blocks, shuffle); });
}

[[gnu::flatten]] ULPFUZZ_CLONES void launch(const Move& move, float* workspace, Shuffle& shuffle) {
  with_programs(move, workspace,
                [&](const auto& program, std::size_t blocks) { run(program, blocks, shuffle); });
}

[[gnu::flatten]] ULPFUZZ_CLONES void launch(const CheckZones& zones, float* workspace,
                                            Shuffle& shuffle) {
  with_programs(zones, workspace,
                [&](const auto& program, std::size_t blocks) { run(program, blocks, shuffle); });
}

}  // namespace ulpfuzz::kernels::host
