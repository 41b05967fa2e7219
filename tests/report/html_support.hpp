#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ulpfuzz::samples {

/// A folder that is gone when the test is over.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "ulpfuzz-page-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::size_t occurrences(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size()))
    ++n;
  return n;
}

/// What stands after `begin` and before the next `end`; "" if there is none.
inline std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  const std::size_t to = text.find(end, from + begin.size());
  return std::string(text.substr(from + begin.size(), to - from - begin.size()));
}

/// The page but for its scripts and style: what a night can have put there.
inline std::string markup(const std::string& page) {
  const std::size_t body = page.find("<body>"),
                    data = page.find("<script type=\"application/json\"");
  return page.substr(body, data - body);
}

/// What the charts are drawn from.
inline nlohmann::json data_of(const std::string& page) {
  return nlohmann::json::parse(
      between(page, "<script type=\"application/json\" id=\"data\">", "</script>"));
}

}  // namespace ulpfuzz::samples
