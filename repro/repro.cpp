#include "ulpfuzz/repro/repro.hpp"

#include <stdexcept>

namespace ulpfuzz::repro {

std::string program(const Failure&, Language, const std::string&) {
  throw std::invalid_argument("not yet");
}

}  // namespace ulpfuzz::repro
