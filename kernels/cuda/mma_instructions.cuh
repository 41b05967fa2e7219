#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "ulpfuzz/core/format.hpp"

/// Instructions of the matmul unit: PTX ISA, "Multiply-and-Accumulate Instruction: mma".
namespace ulpfuzz::kernels::cuda {

/// Two elements in a register, the first in its lower half.
template <Format F>
__device__ std::uint32_t packed(float first, float second) {
  if constexpr (F == Format::bf16)
    return std::uint32_t{__bfloat16_as_ushort(__float2bfloat16_rn(first))} |
           std::uint32_t{__bfloat16_as_ushort(__float2bfloat16_rn(second))} << 16;
  else
    return std::uint32_t{__half_as_ushort(__float2half_rn(first))} |
           std::uint32_t{__half_as_ushort(__float2half_rn(second))} << 16;
}
__device__ inline float unpacked(std::uint32_t x) {
  return __half2float(__ushort_as_half(static_cast<unsigned short>(x & 0xffff)));
}

template <unsigned Left, unsigned Right>
struct MmaRegisters {
  std::uint32_t a[Left], b[Right];
};

/// apply(registers, sums): sums += the product.
template <Format F, unsigned K, Format Sum>
struct MmaInstruction;

template <>
struct MmaInstruction<Format::tf32, 4, Format::fp32> {
  using Registers = MmaRegisters<2, 1>;
  __device__ static void apply(const Registers& r, float (&s)[4]) {
    asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
        : "r"(r.a[0]), "r"(r.a[1]), "r"(r.b[0]));
  }
};

template <>
struct MmaInstruction<Format::tf32, 8, Format::fp32> {
  using Registers = MmaRegisters<4, 2>;
  __device__ static void apply(const Registers& r, float (&s)[4]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
        : "r"(r.a[0]), "r"(r.a[1]), "r"(r.a[2]), "r"(r.a[3]), "r"(r.b[0]), "r"(r.b[1]));
  }
};

template <>
struct MmaInstruction<Format::fp16, 8, Format::fp32> {
  using Registers = MmaRegisters<2, 1>;
  __device__ static void apply(const Registers& r, float (&s)[4]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
        : "r"(r.a[0]), "r"(r.a[1]), "r"(r.b[0]));
  }
};

template <>
struct MmaInstruction<Format::fp16, 16, Format::fp32> {
  using Registers = MmaRegisters<4, 2>;
  __device__ static void apply(const Registers& r, float (&s)[4]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
        : "r"(r.a[0]), "r"(r.a[1]), "r"(r.a[2]), "r"(r.a[3]), "r"(r.b[0]), "r"(r.b[1]));
  }
};

template <>
struct MmaInstruction<Format::bf16, 8, Format::fp32> {
  using Registers = MmaRegisters<2, 1>;
  __device__ static void apply(const Registers& r, float (&s)[4]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
        : "r"(r.a[0]), "r"(r.a[1]), "r"(r.b[0]));
  }
};

template <>
struct MmaInstruction<Format::bf16, 16, Format::fp32> {
  using Registers = MmaRegisters<4, 2>;
  __device__ static void apply(const Registers& r, float (&s)[4]) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
        : "r"(r.a[0]), "r"(r.a[1]), "r"(r.a[2]), "r"(r.a[3]), "r"(r.b[0]), "r"(r.b[1]));
  }
};

/// Sums in fp16, two in a register.
struct HalfSums {
  std::uint32_t s[2];
  __device__ explicit HalfSums(const float (&sums)[4])
      : s{packed<Format::fp16>(sums[0], sums[1]), packed<Format::fp16>(sums[2], sums[3])} {}
  __device__ void unpack(float (&sums)[4]) const {
    for (unsigned i = 0; i < 4; ++i) sums[i] = unpacked(s[i / 2] >> 16 * (i % 2));
  }
};

template <>
struct MmaInstruction<Format::fp16, 8, Format::fp16> {
  using Registers = MmaRegisters<2, 1>;
  __device__ static void apply(const Registers& r, float (&sums)[4]) {
    HalfSums h(sums);
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 "
        "{%0, %1}, {%2, %3}, {%4}, {%0, %1};"
        : "+r"(h.s[0]), "+r"(h.s[1])
        : "r"(r.a[0]), "r"(r.a[1]), "r"(r.b[0]));
    h.unpack(sums);
  }
};

template <>
struct MmaInstruction<Format::fp16, 16, Format::fp16> {
  using Registers = MmaRegisters<4, 2>;
  __device__ static void apply(const Registers& r, float (&sums)[4]) {
    HalfSums h(sums);
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
        "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
        : "+r"(h.s[0]), "+r"(h.s[1])
        : "r"(r.a[0]), "r"(r.a[1]), "r"(r.a[2]), "r"(r.a[3]), "r"(r.b[0]), "r"(r.b[1]));
    h.unpack(sums);
  }
};

}  // namespace ulpfuzz::kernels::cuda
