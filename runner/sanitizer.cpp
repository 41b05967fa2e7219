#include "sanitizer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "ulpfuzz/runner/process.hpp"

// Every sanitizer's runtime has it, and nothing else.
extern "C" void __sanitizer_set_report_path(const char* path) __attribute__((weak));

namespace ulpfuzz::process {
namespace {

constexpr std::size_t most_kept = 64 << 10;  // bytes of a report
constexpr std::string_view runtime_error = "runtime error: ";
constexpr std::string_view summary = "SUMMARY: ";

std::string_view line_at(std::string_view text, std::size_t from) {
  return text.substr(from, text.find('\n', from) - from);
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(line.size(), end + 1));
  }
  return words;
}

/// "heap-buffer-overflow file.cpp:3 in f" without the place: "heap-buffer-overflow".
std::string kind_of(std::string_view what) {
  std::string kind;
  for (const std::string_view word : words_of(what)) {
    if (word.find_first_of("/.(:") != word.npos) break;
    kind += fmt::format("{}{}", kind.empty() ? "" : " ", word);
  }
  std::transform(kind.begin(), kind.end(), kind.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return kind;
}

/// "index 12 out of bounds for type 'int [4]'" without numbers and types: "index out of bounds".
std::string undefined_kind(std::string_view what) {
  for (const std::string_view end : {": ", ", ", "; ", " for ", " of type", " in type"})
    what = what.substr(0, what.find(end));
  std::string kind;
  for (const std::string_view word : words_of(what)) {
    if (word.find_first_of("0123456789") != word.npos) continue;
    kind += fmt::format("{}{}", kind.empty() ? "" : " ", word);
  }
  return kind;
}

/// "AddressSanitizer: heap-buffer-overflow /there/file.cpp:3 in f", or what stands in its place in
/// reports that have no summary.
std::string_view summary_of(std::string_view report) {
  std::size_t at = report.rfind(summary);
  if (at != report.npos) return line_at(report, at + summary.size());
  constexpr std::string_view error = "ERROR: ";
  at = report.find(error);
  return at == report.npos ? std::string_view() : line_at(report, at + error.size());
}

std::string short_name(std::string_view sanitizer) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> names{
      {{"AddressSanitizer", "asan"},
       {"UndefinedBehaviorSanitizer", "ubsan"},
       {"ThreadSanitizer", "tsan"},
       {"MemorySanitizer", "msan"},
       {"LeakSanitizer", "lsan"}}};
  for (const auto& [name, word] : names)
    if (sanitizer == name) return std::string(word);
  return std::string(sanitizer);
}

/// Folders of the machine it was built on say nothing.
std::string without_folders(std::string_view line) {
  std::string text;
  for (std::string_view word : words_of(line)) {
    const std::size_t slash = word.rfind('/');
    const bool path = slash != word.npos && word.find('.', slash) != word.npos;
    text += fmt::format("{}{}", text.empty() ? "" : " ", path ? word.substr(slash + 1) : word);
  }
  return text;
}

}  // namespace

bool is_sanitized() { return __sanitizer_set_report_path != nullptr; }

int open_report() { return is_sanitized() ? memfd_create("report", MFD_CLOEXEC) : -1; }

void report_to(int fd) {
  if (fd >= 0) dup2(fd, STDERR_FILENO);
}

std::string take_report(int fd) {
  if (fd < 0) return {};
  std::string text(most_kept, '\0');
  const ssize_t length = pread(fd, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  close(fd);
  if (!report_cause(text).empty()) return text;
  write_all(STDERR_FILENO, text);
  return {};
}

std::string report_cause(std::string_view report) {
  const std::size_t undefined = report.find(runtime_error);
  if (undefined != report.npos)
    return "ubsan " + undefined_kind(line_at(report, undefined + runtime_error.size()));
  const std::string_view what = summary_of(report);
  const std::size_t colon = what.find(": ");
  if (colon == what.npos || what.find(' ') < colon) {
    // "AddressSanitizer failed to allocate 0x... bytes": no summary follows.
    return is_out_of_memory(report) ? "asan out-of-memory" : "";
  }
  return fmt::format("{} {}", short_name(what.substr(0, colon)), kind_of(what.substr(colon + 2)));
}

std::string report_sentence(std::string_view report) {
  const std::size_t undefined = report.find(runtime_error);
  if (undefined == report.npos) return without_folders(summary_of(report));
  const std::size_t begin = report.rfind('\n', undefined);
  return without_folders(line_at(report, begin == report.npos ? 0 : begin + 1));
}

bool is_out_of_memory(std::string_view report) {
  for (const std::string_view words :
       {"failed to allocate", "out-of-memory", "allocator is out of memory",
        "allocation-size-too-big", "rss-limit-exceeded"})
    if (report.find(words) != report.npos) return true;
  return false;
}

}  // namespace ulpfuzz::process
