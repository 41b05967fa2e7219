#include "file_read.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "file_error.hpp"

namespace ulpfuzz {
namespace fs = std::filesystem;

void refuse_io(const fs::path& path, std::string_view step, int error, std::string_view remedy) {
  refuse(path.string(), step, std::generic_category().message(error), remedy);
}

std::string read_bytes(const fs::path& path, std::string_view remedy) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error) refuse_io(path, "open", error.value(), "name a file that exists");
  if (fs::is_directory(status)) refuse_io(path, "open", EISDIR, "name a file");
  if (!fs::is_regular_file(status))
    refuse(path.string(), "open", "not a regular file", "name a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse_io(path, "open", errno, "make it readable");
  const auto check_size = [&](std::uintmax_t size) {
    if (size > limits::file_bytes)
      refuse(path.string(), "read", fmt::format("more than {} bytes", limits::file_bytes),
             "cut it into parts");
  };
  std::string text;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!error) check_size(size);
  if (!error) text.reserve(size);
  char block[1 << 16];
  while (in.read(block, sizeof block) || in.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(in.gcount()));
    check_size(text.size());  // it may grow while it is read
  }
  if (in.bad()) refuse_io(path, "read", errno, "check the disk");
  if (text.empty()) refuse(path.string(), "read", "the file is empty", remedy);
  return text;
}

}  // namespace ulpfuzz
