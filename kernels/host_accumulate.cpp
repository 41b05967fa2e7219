#include "ulpfuzz/kernels/accumulate.hpp"

namespace ulpfuzz::kernels::host {

template <bool Fused, unsigned Rows>
ULPFUZZ_CLONES void accumulate_here(const float* a, unsigned a_step, const float* b,
                                    unsigned b_step, unsigned terms, float (*sums)[sums_across]) {
  accumulate<Fused, Rows>(a, a_step, b, b_step, terms, sums);
}

template void accumulate_here<false, 1>(const float*, unsigned, const float*, unsigned, unsigned,
                                        float (*)[sums_across]);
template void accumulate_here<false, 4>(const float*, unsigned, const float*, unsigned, unsigned,
                                        float (*)[sums_across]);
template void accumulate_here<false, 8>(const float*, unsigned, const float*, unsigned, unsigned,
                                        float (*)[sums_across]);
template void accumulate_here<true, 1>(const float*, unsigned, const float*, unsigned, unsigned,
                                       float (*)[sums_across]);
template void accumulate_here<true, 4>(const float*, unsigned, const float*, unsigned, unsigned,
                                       float (*)[sums_across]);
template void accumulate_here<true, 8>(const float*, unsigned, const float*, unsigned, unsigned,
                                       float (*)[sums_across]);

}  // namespace ulpfuzz::kernels::host
