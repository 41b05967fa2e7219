#pragma once

/// Helpers of kernels: functions that round to a narrower format or range.
namespace ulpfuzz::repro {

inline constexpr const char* to_tf32 = R"(// TF32: ten bits of fraction, to nearest, ties away.
DEVICE float tf32(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, sizeof x);
  bits = (bits + 0x1000u) & 0xffffe000u;
  float rounded;
  std::memcpy(&rounded, &bits, sizeof x);
  return std::isfinite(x) ? rounded : x;
})";

inline constexpr const char* to_bf16 = R"(// bf16: seven bits of fraction, to nearest even.
DEVICE float bf16(float x) {
  unsigned bits;
  std::memcpy(&bits, &x, sizeof x);
  bits = (bits + 0x7fffu + (bits >> 16 & 1)) & 0xffff0000u;
  float rounded;
  std::memcpy(&rounded, &bits, sizeof x);
  return std::isfinite(x) ? rounded : x;
})";

inline constexpr const char* to_fp16 = R"(// fp16: eleven significant bits, to nearest even.
DEVICE double fp16(double x) {
  int exponent;
  std::frexp(x, &exponent);
  const double ulp = std::ldexp(1.0, exponent > -13 ? exponent - 11 : -24);
  return std::fabs(x) < 65520 ? std::nearbyint(x / ulp) * ulp : x * INFINITY;
})";

inline constexpr const char* to_normal = R"(// Subnormals become zero.
DEVICE float flush(float x) { return std::fabs(x) < 0x1p-126f ? 0 * x : x; })";

}  // namespace ulpfuzz::repro
