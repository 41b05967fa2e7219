#include <array>

#include "ulpfuzz/repro/repro.hpp"

namespace ulpfuzz::repro {
namespace {

struct Named {
  Language language;
  std::string_view name, file;
};
constexpr std::array<Named, 5> all{{{Language::cpp, "cpp", "repro.cpp"},
                                    {Language::cuda, "cuda", "repro.cu"},
                                    {Language::torch, "torch", "repro_torch.py"},
                                    {Language::jax, "jax", "repro_jax.py"},
                                    {Language::numpy, "numpy", "repro_numpy.py"}}};

const Named& entry(Language language) { return all[static_cast<std::size_t>(language)]; }

}  // namespace

std::string_view name(Language language) { return entry(language).name; }
std::string_view usual_file(Language language) { return entry(language).file; }

std::optional<Language> language_from(std::string_view name) {
  for (const Named& n : all)
    if (n.name == name) return n.language;
  return std::nullopt;
}

}  // namespace ulpfuzz::repro
