#pragma once

#include <string>

#include "ulpfuzz/network/case_file.hpp"

namespace ulpfuzz {

/// A note of a case file (docs/case-file.md), or "".
inline std::string note_of(const CaseFile& file, const std::string& key) {
  const auto at = file.notes.find(key);
  return at == file.notes.end() ? std::string() : at->second;
}

/// Was it found under --bitwise, and means nothing without? Such a finding may have any class.
inline bool noted_bitwise(const CaseFile& file) {
  return note_of(file, "bitwise") == "yes" || note_of(file, "class") == "not_bitwise";
}

}  // namespace ulpfuzz
