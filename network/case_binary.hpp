#pragma once

#include <cstdint>
#include <string_view>

namespace ulpfuzz {

inline constexpr std::string_view case_magic{"ULPCASE\0", 8};

// FILE     magic, u32 version, the sections, u64 xxHash64 of all before it
// section  u32 type, u64 length, content; all of them, in this order
// network  u32 repeat, u32 count, nodes, u32 count, u32 outputs
// node     text op, u8 arity, u32 operands, u32 rows, u32 cols, u8 axis, u8 transposes (a 1, b 2),
//          text of, u32 index, f32 alpha
// tensor   u32 rows, u32 cols, f32 values; parameters and inputs: u32 count, tensors
// split    u32 count, slices: u32 padding, u32 count, u32 rows
// layout   u8 batch offset, u8 slice offset
// notes    u32 count, text key and text value, by ascending key
// text     u32 length, bytes. Numbers are little-endian.

/// In file order, notes last: the content hash is of what comes before them.
enum class Section : std::uint32_t {
  network = 1,
  parameters,
  inputs,
  cotangents,
  split,
  layout,
  notes
};

}  // namespace ulpfuzz
