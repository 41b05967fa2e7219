#include "ulpfuzz/repro/repro.hpp"

namespace ulpfuzz::repro {

std::string issue(const Failure& failure, Language language, const std::string& file,
                  const Surroundings&) {
  return program(failure, language, file);
}

}  // namespace ulpfuzz::repro
