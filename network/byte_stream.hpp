#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ulpfuzz {

/// Appends little-endian numbers to bytes.
class ByteWriter {
 public:
  std::vector<std::uint8_t> bytes;

  void u8(std::uint8_t x) { bytes.push_back(x); }
  void u32(std::uint32_t x) { number(x, 4); }
  void u64(std::uint64_t x) { number(x, 8); }
  void count(std::size_t n) { u32(static_cast<std::uint32_t>(n)); }
  void f32(float x);
  void text(std::string_view s);  ///< length, then its bytes
  void floats(std::span<const float> values);
  void words(std::span<const std::uint32_t> values);

 private:
  void number(std::uint64_t x, int size) {
    for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>(x >> (8 * i)));
  }
};

/// Takes them off again. Whatever does not fit the bytes left is refused by FileError with the
/// position in the file.
class ByteReader {
 public:
  ByteReader(std::span<const std::uint8_t> bytes, const std::string& name, std::size_t base = 0)
      : bytes_(bytes), name_(&name), base_(base) {}

  [[noreturn]] void refuse(std::string_view problem) const;

  std::size_t left() const { return bytes_.size() - position_; }
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  float f32();
  std::string text();
  std::vector<float> floats(std::size_t count);
  std::vector<std::uint32_t> words(std::size_t count);
  /// A number of items of at least `item_size` bytes each, held against the bytes left.
  std::size_t count(std::size_t item_size);
  /// The next `size` bytes, as a stream of their own.
  ByteReader part(std::size_t size);
  /// Whether all the bytes left are these.
  bool holds(std::string_view text) const;
  /// Refuses bytes left over.
  void end() const;

 private:
  std::span<const std::uint8_t> take(std::size_t size);
  std::uint64_t number(int size);

  std::span<const std::uint8_t> bytes_;
  const std::string* name_;
  std::size_t base_;
  std::size_t position_ = 0;
};

}  // namespace ulpfuzz
