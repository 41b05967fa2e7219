#include <cctype>

#include "ulpfuzz/properties/property.hpp"

namespace ulpfuzz {
namespace {

/// Appends the letters and digits of `text`, words joined by '-'.
void append_words(std::string& id, std::string_view text) {
  bool joint = !id.empty();
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (std::isalnum(u) == 0) {
      joint = !id.empty();
      continue;
    }
    if (joint) id += '-';
    joint = false;
    id += static_cast<char>(std::tolower(u));
  }
}

}  // namespace

std::string bucket_id(const Property& property, const Subject& subject, const Verdict& verdict) {
  std::string id;
  for (const std::string_view part :
       {property.name, subject.name(), name(verdict.failure), std::string_view(verdict.first_op),
        std::string_view(verdict.cause)}) {
    append_words(id, part);
  }
  return id;
}

}  // namespace ulpfuzz
