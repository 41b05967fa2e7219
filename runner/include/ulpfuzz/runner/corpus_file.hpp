#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "ulpfuzz/network/case.hpp"

namespace ulpfuzz {

/// HASH-PROPERTY-SUBJECT.case: a case worth keeping for one property and one subject. Another may
/// keep the same case, with notes of its own.
inline std::string corpus_file_name(const Case& c, std::string_view property,
                                    std::string_view subject) {
  std::string name = content_hash(c) + '-';
  name.append(property).append("-").append(subject);
  std::replace(name.begin(), name.end(), '/', '-');
  return name + ".case";
}

}  // namespace ulpfuzz
