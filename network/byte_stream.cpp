#include "byte_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "file_error.hpp"

namespace ulpfuzz {

void ByteWriter::f32(float x) { u32(std::bit_cast<std::uint32_t>(x)); }

void ByteWriter::text(std::string_view s) {
  count(s.size());
  bytes.insert(bytes.end(), s.begin(), s.end());
}

void ByteWriter::floats(std::span<const float> values) {
  if constexpr (std::endian::native == std::endian::little) {
    const auto* raw = reinterpret_cast<const std::uint8_t*>(values.data());
    bytes.insert(bytes.end(), raw, raw + values.size_bytes());
  } else {
    for (const float x : values) f32(x);
  }
}

void ByteWriter::words(std::span<const std::uint32_t> values) {
  for (const std::uint32_t x : values) u32(x);
}

void ByteReader::refuse(std::string_view problem) const {
  ulpfuzz::refuse(*name_, fmt::format("byte {}", base_ + position_), problem, "restore the file");
}

std::span<const std::uint8_t> ByteReader::take(std::size_t size) {
  if (size > left()) refuse(fmt::format("{} bytes wanted, {} left", size, left()));
  position_ += size;
  return bytes_.subspan(position_ - size, size);
}

std::uint64_t ByteReader::number(int size) {
  std::uint64_t x = 0;
  int shift = 0;
  for (const std::uint8_t byte : take(static_cast<std::size_t>(size))) {
    x |= std::uint64_t{byte} << shift;
    shift += 8;
  }
  return x;
}

float ByteReader::f32() { return std::bit_cast<float>(u32()); }

std::string ByteReader::text() {
  const auto bytes = take(count(1));
  return {bytes.begin(), bytes.end()};
}

std::vector<float> ByteReader::floats(std::size_t count) {
  const auto bytes = take(count * sizeof(float));
  std::vector<float> values(count);
  if constexpr (std::endian::native == std::endian::little) {
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
  } else {
    position_ -= bytes.size();
    for (float& x : values) x = f32();
  }
  return values;
}

std::vector<std::uint32_t> ByteReader::words(std::size_t count) {
  if (count > left() / 4) refuse(fmt::format("{} numbers wanted, {} bytes left", count, left()));
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t& x : values) x = u32();
  return values;
}

std::size_t ByteReader::count(std::size_t item_size) {
  const std::size_t n = u32();
  if (n > left() / item_size) {
    position_ -= 4;
    refuse(fmt::format("a count of {}, more than the bytes left can hold", n));
  }
  return n;
}

ByteReader ByteReader::part(std::size_t size) {
  const std::size_t start = base_ + position_;
  return ByteReader(take(size), *name_, start);
}

bool ByteReader::holds(std::string_view text) const {
  const auto rest = bytes_.subspan(position_);
  return std::equal(rest.begin(), rest.end(), text.begin(), text.end());
}

void ByteReader::end() const {
  if (left() > 0) refuse(fmt::format("{} bytes too many", left()));
}

}  // namespace ulpfuzz
