#pragma once

#include <cstdio>
#include <string_view>

namespace ulpfuzz {

/// Prints, if it can: a reader that left or a full disk behind stdout or stderr ends no work. The
/// process ignores SIGPIPE.
inline void say(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  std::fflush(stream);
}

}  // namespace ulpfuzz
