#pragma once

#include <cstddef>
#include <cstdint>

#include "ulpfuzz/kernels/block.hpp"
#include "ulpfuzz/kernels/element_launches.hpp"
#include "ulpfuzz/kernels/emulated_formats.hpp"

namespace ulpfuzz::kernels {

/// The 16 bits of x rounded to nearest even. NaN becomes a quiet one of its sign.
ULPFUZZ_HOST_DEVICE inline std::uint16_t bf16_bits(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, drop_bits<16, Cut::to_even>(x));
  const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return static_cast<std::uint16_t>(bits >> 16 | (is_nan ? 0x40u : 0u));
}
ULPFUZZ_HOST_DEVICE inline std::uint16_t fp16_bits(float x) {
  const float y = to_fp16<Cut::to_even>(x);
  const auto bits = __builtin_bit_cast(std::uint32_t, y);
  const std::uint32_t sign = bits >> 16 & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  if (magnitude == 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude >= 0x38800000u)  // 2^-14: the exponent is rebiased from 127 to 15
    return static_cast<std::uint16_t>(sign | (magnitude - (112u << 23)) >> 13);
  const float quanta = __builtin_bit_cast(float, magnitude) * 0x1p24f;
  return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(quanta));
}

/// One element a thread.
struct PackElements {
  static constexpr unsigned threads = 256;
  struct Shared {};
  Pack pack;

  ULPFUZZ_ANY_CALLER
  template <class Block>
  ULPFUZZ_HOST_DEVICE void operator()(Block& block) const {
    block.each([&](unsigned t) {
      const std::size_t at = block.index() * threads + t;
      const std::size_t entry = pack.rows * pack.columns;
      if (at >= pack.entries * entry) return;
      const std::size_t i = at % entry / pack.columns, j = at % pack.columns;
      write(at,
            pack.x[at / entry / pack.repeat * pack.x_entry + i * pack.x_row + j * pack.x_column]);
    });
  }

 private:
  ULPFUZZ_HOST_DEVICE void write(std::size_t at, float x) const {
    if (pack.to == Format::bf16)
      static_cast<std::uint16_t*>(pack.y)[at] = bf16_bits(x);
    else if (pack.to == Format::fp16)
      static_cast<std::uint16_t*>(pack.y)[at] = fp16_bits(x);
    else
      static_cast<float*>(pack.y)[at] = x;
  }
};

inline std::size_t workspace_of(const Pack&) { return 0; }

template <class Run>
void with_programs(const Pack& pack, float*, const Run& run) {
  const std::size_t count = pack.entries * pack.rows * pack.columns;
  if (count != 0)
    run(PackElements{pack}, (count + PackElements::threads - 1) / PackElements::threads);
}

}  // namespace ulpfuzz::kernels
