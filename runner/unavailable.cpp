#include "unavailable.hpp"

#include <fmt/format.h>

#include <utility>

namespace ulpfuzz {

std::string_view kind_of(std::string_view subject) { return subject.substr(0, subject.find('/')); }

std::vector<std::string> unavailable_lines(const std::map<std::string, std::string>& why) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> groups;
  for (const auto& [subject, reason] : why)
    groups[{std::string(kind_of(subject)), reason}].push_back(subject);
  std::vector<std::string> lines;
  for (const auto& [group, subjects] : groups)
    lines.push_back(subjects.size() == 1 ? fmt::format("{}: {}", subjects.front(), group.second)
                                         : fmt::format("{}/* ({} subjects): {}", group.first,
                                                       subjects.size(), group.second));
  return lines;
}

}  // namespace ulpfuzz
