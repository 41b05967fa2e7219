#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz {

inline constexpr int case_file_version = 1;

/// A file that cannot be read as what it should be. what() is one line:
/// "FILE: PLACE: what is wrong; how to mend it".
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A case and what is known about it: "property", "subject", "class", "cause", "comment",
/// "environment", "expected". Notes do not belong to the canonical content: content_hash ignores
/// them. They are UTF-8; other bytes are written as U+FFFD.
struct CaseFile {
  Case value;
  std::map<std::string, std::string> notes;
};

/// Text form (.case.json): JSON, floats as hex ("-0x1.8p-3", "inf", "nan:7fc00001"), one string a
/// tensor row (docs/case-file.md). Canonical: equal cases and notes give equal bytes. The network
/// is inline, or {"file": "NAME.network.json"} beside the case file, which then also holds the
/// parameters.
std::string to_text(const CaseFile& file);
/// `name` is used in errors; `folder` is where a referenced network file is looked for.
CaseFile case_from_text(std::string_view text, const std::string& name,
                        const std::filesystem::path& folder);

/// A network with its parameters, alone: NAME.network.json. Written with numbers inline; read also
/// with .npy files beside it, and as a list of layers (docs/case-file.md).
struct NetworkFile {
  Network network;
  std::vector<Tensor> parameters;
  /// Names of the .npy files that the parameters were read from, "" for numbers inline; may be
  /// shorter than `parameters`. Not written.
  std::vector<std::string> sources = {};
};
std::string to_text(const NetworkFile& file);
/// `folder` is where .npy files are looked for.
NetworkFile network_from_text(std::string_view text, const std::string& name,
                              const std::filesystem::path& folder = {});

/// Binary form (.case): magic "ULPCASE\0", version, sections with lengths, floats as raw
/// little-endian bits, xxHash at the end. Canonical and lossless.
std::vector<std::uint8_t> to_bytes(const CaseFile& file);
CaseFile case_from_bytes(std::span<const std::uint8_t> bytes, const std::string& name);

/// By content: binary if it starts with the magic, text otherwise. Throws FileError; never crashes,
/// never allocates more than the file can account for, whatever the bytes.
CaseFile read_case(const std::filesystem::path& path);
/// By extension: ".case" binary, else text. Written to a temporary beside it, synced, renamed: a
/// full disk or a crash leaves the old file or none. Throws FileError.
void write_case(const std::filesystem::path& path, const CaseFile& file);

NetworkFile read_network(const std::filesystem::path& path);

/// Atomically replaces `path` by `bytes`: temporary beside it, fsync, rename. Throws FileError that
/// names the path and the reason (no space, no permission).
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace ulpfuzz
