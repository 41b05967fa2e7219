#pragma once

#include <cstdio>
#include <string_view>

namespace ulpfuzz {

/// Prints, if it can: a reader that left or a full disk behind stdout or stderr ends no work. The
/// process ignores SIGPIPE. For what stands elsewhere, too, or is no result.
void say(std::FILE* stream, std::string_view text);

/// say() for a result that the caller has nowhere else: what stdout does not take is remembered.
void answer(std::FILE* stream, std::string_view text);

/// Why stdout did not take an answer, as an errno; 0 if it took them all. A reader that left its
/// pipe had enough: that is none.
int unanswered();

}  // namespace ulpfuzz
