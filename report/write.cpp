#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::report {

std::vector<std::string> write_reports(const Night&, const std::filesystem::path&) {
  return {};
}

}  // namespace ulpfuzz::report
