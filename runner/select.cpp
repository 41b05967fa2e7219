#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>

#include "ulpfuzz/core/named_arithmetics.hpp"
#include "ulpfuzz/runner/replay.hpp"
#include "ulpfuzz/subjects/claiming.hpp"

namespace ulpfuzz {
namespace {

std::string_view name_of(const Subject* subject) { return subject->name(); }
std::string_view name_of(const Property* property) { return property->name; }

bool is_fault(std::string_view name) { return name.starts_with("fault/"); }

bool answers(std::string_view name, const std::string& glob) {
  if (is_fault(name) && !glob.starts_with("fault/")) return false;
  return fnmatch(glob.c_str(), std::string(name).c_str(), 0) == 0;
}

template <class Item>
std::vector<const Item*> select(std::string_view kind, std::span<const Item* const> all,
                                const std::vector<std::string>& globs, bool faults) {
  for (const std::string& glob : globs) {
    if (std::any_of(all.begin(), all.end(), [&](auto* i) { return answers(name_of(i), glob); }))
      continue;
    std::string names;
    for (const Item* item : all) names += fmt::format("\n  {}", name_of(item));
    throw std::invalid_argument(fmt::format("no {} '{}'; there are:{}", kind, glob, names));
  }
  std::vector<const Item*> chosen;
  for (const Item* item : all) {
    const std::string_view name = name_of(item);
    const bool wanted = globs.empty() ? faults || !is_fault(name)
                                      : std::any_of(globs.begin(), globs.end(), [&](auto& glob) {
                                          return answers(name, glob);
                                        });
    if (wanted) chosen.push_back(item);
  }
  return chosen;
}

}  // namespace

std::vector<const Subject*> select_subjects(const Registry& subjects,
                                            const std::vector<std::string>& globs, bool faults) {
  return select<Subject>("subject", subjects.all(), globs, faults);
}

std::vector<const Property*> select_properties(const std::vector<std::string>& globs) {
  return select<Property>("property", properties::all(), globs, true);
}

Registry judged_as(const std::string& claim, const Registry& subjects) {
  const std::optional<Arithmetic> arithmetic = arithmetic_from(claim);
  if (!arithmetic)
    throw std::invalid_argument(
        fmt::format("no arithmetic '{:.40}'; there are: {}", claim, arithmetic_names()));
  return claiming(subjects, *arithmetic);
}

}  // namespace ulpfuzz
