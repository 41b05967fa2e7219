#include "spellers.hpp"

namespace ulpfuzz::repro {

bool is_batch_value(const Node& node) { return node.axis != Axis::shared; }

Lines definitions(std::span<const Helper> all, const std::set<std::string>& names) {
  Lines lines;
  for (const Helper& helper : all) {
    if (names.count(std::string(helper.name)) == 0) continue;
    std::string_view rest = helper.text;
    while (!rest.empty()) {
      const auto end = rest.find('\n');
      lines.emplace_back(rest.substr(0, end));
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
    lines.emplace_back();
  }
  return lines;
}

}  // namespace ulpfuzz::repro
