#include "ulpfuzz/subjects/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "factories.hpp"

namespace ulpfuzz {
namespace {

bool matches(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      resume = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  return glob.find_first_not_of('*', g) == std::string_view::npos;
}

}  // namespace

void Registry::add(std::unique_ptr<const Subject> subject) {
  if (subject == nullptr || subject->name().empty())
    throw std::invalid_argument("a subject without a name; a name not yet taken would fit");
  if (find(subject->name()) != nullptr)
    throw std::invalid_argument(
        fmt::format("subject \"{}\" is there already; another name would fit", subject->name()));
  subjects_.push_back(std::move(subject));
}

const Subject* Registry::find(std::string_view name) const {
  const auto it = std::find_if(subjects_.begin(), subjects_.end(),
                               [&](const auto& s) { return s->name() == name; });
  return it == subjects_.end() ? nullptr : it->get();
}

std::vector<const Subject*> Registry::all() const {
  std::vector<const Subject*> list;
  for (const auto& subject : subjects_) list.push_back(subject.get());
  return list;
}

std::vector<const Subject*> Registry::select(std::span<const std::string> globs) const {
  if (globs.empty()) return all();
  std::vector<bool> chosen(subjects_.size());
  for (const std::string& glob : globs) {
    bool used = false;
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      if (!matches(glob, subjects_[i]->name())) continue;
      chosen[i] = used = true;
    }
    if (used) continue;
    std::string names;
    for (const auto& subject : subjects_)
      names.append(names.empty() ? "" : ", ").append(subject->name());
    throw std::invalid_argument(
        fmt::format("no subject matches \"{}\"; there are: {}", glob, names));
  }
  std::vector<const Subject*> list;
  for (std::size_t i = 0; i < subjects_.size(); ++i)
    if (chosen[i]) list.push_back(subjects_[i].get());
  return list;
}

Registry builtin_subjects() {
  Registry registry;
  registry.add(make_reference_fp64());
  registry.add(make_reference_dd());
  registry.add(make_loops());
#if defined(ULPFUZZ_HAS_BLAS)
  registry.add(make_openblas());
#endif
  registry.add(make_eigen());
  for (auto& subject : make_simt()) registry.add(std::move(subject));
#if defined(ULPFUZZ_HAS_CUDA)
  for (auto& subject : make_cuda()) registry.add(std::move(subject));
  for (auto& subject : make_cublas()) registry.add(std::move(subject));
#endif
  return registry;
}

}  // namespace ulpfuzz
