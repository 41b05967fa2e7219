#include <fmt/format.h>

#include <exception>
#include <functional>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/report/reports.hpp"

namespace ulpfuzz::report {

std::vector<std::string> write_reports(const Night& night, const std::filesystem::path& folder,
                                       const std::filesystem::path& elsewhere, bool summary) {
  const std::filesystem::path& cases = elsewhere.empty() ? folder : elsewhere;
  std::vector<std::string> failed;
  const auto write = [&](const char* file, const std::function<std::string()>& text) {
    try {
      write_file_atomically(folder / file, text());
    } catch (const FileError& error) {
      failed.emplace_back(error.what());
    } catch (const std::exception& error) {  // no memory for the page, say: the others still come
      failed.push_back(fmt::format("{}: {}", (folder / file).string(), error.what()));
    }
  };
  if (summary) write("summary.json", [&] { return to_json(night); });
  if (summary) write("summary.txt", [&] { return to_text(night); });
  write("report.md", [&] { return to_markdown(night); });
  write("junit.xml", [&] { return to_junit(night, cases); });
  write("results.sarif", [&] { return to_sarif(night); });
  write("index.html", [&] { return to_html(night, cases); });
  return failed;
}

}  // namespace ulpfuzz::report
