#include "host_run.hpp"
#include "ulpfuzz/kernels/eight_doubles.hpp"
#include "ulpfuzz/kernels/unit_programs.hpp"

namespace ulpfuzz::kernels::host {
namespace {

/// Whose threads add eight numbers at once.
template <class Program>
class EightBlock : public HostBlock<Program> {
 public:
  using Numbers = Eight;
  using HostBlock<Program>::HostBlock;
};

}  // namespace

[[gnu::flatten]] ULPFUZZ_CLONES void launch(const UnitGemm& gemm, float* workspace,
                                            Shuffle& shuffle) {
  with_programs(gemm, workspace, [&](const auto& program, std::size_t blocks) {
    run<EightBlock>(program, blocks, shuffle);
  });
}

}  // namespace ulpfuzz::kernels::host
