#include "say.hpp"

#include <cerrno>

namespace ulpfuzz {
namespace {

int first_error = 0;

// The errno of what was not written, or 0.
int print(std::FILE* stream, std::string_view text) {
  errno = 0;
  const bool taken = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  const bool flushed = std::fflush(stream) == 0;
  return taken && flushed ? 0 : errno == 0 ? EIO : errno;
}

}  // namespace

void say(std::FILE* stream, std::string_view text) { print(stream, text); }

void answer(std::FILE* stream, std::string_view text) {
  const int error = print(stream, text);
  if (stream == stdout && error != EPIPE && first_error == 0) first_error = error;
}

int unanswered() { return first_error; }

}  // namespace ulpfuzz
