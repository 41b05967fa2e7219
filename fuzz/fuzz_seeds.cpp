// fuzz_seeds CORPUS SEEDS: seeds of the targets, SEEDS/<property>/HASH.case: the cases under CORPUS
// that pass with all honest subjects, and the first of those that a campaign draws.
#include <fmt/format.h>

#include <filesystem>

#include "decode.hpp"
#include "ulpfuzz/generators/mutate.hpp"
#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/properties/property.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace {
using namespace ulpfuzz;
namespace fs = std::filesystem;

constexpr std::size_t most_bytes = 65536;
constexpr int drawn = 48;

class Seeds {
 public:
  Seeds(const Property& property, const fs::path& folder)
      : property_(property), folder_(folder / property.name) {
    if (property.needs_gradient) limits_ = generators::gradient_limits();
    fs::create_directories(folder_);
  }

  void add(const Case& c) {
    generators::SeedSource random(0, 0);
    const Case fitting = generators::fitted(c, random, limits_);
    if (fuzz::encoded(fitting).size() > most_bytes || !passes(fitting)) return;
    write_case(folder_ / (content_hash(fitting) + ".case"), {fitting, {}});
  }
  void add_drawn() {
    for (std::uint64_t i = 0; i < drawn; ++i) add(generators::case_from_seed(0, i, limits_));
  }

 private:
  bool passes(const Case& c) {
    for (const Subject* subject : subjects_.all()) {
      if (subject->unavailable()) continue;
      if (property_.check(c, *subject, {}, context_).failed()) return false;
    }
    return true;
  }

  const Property& property_;
  fs::path folder_;
  generators::Limits limits_;
  Registry subjects_ = builtin_subjects();
  CheckContext context_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: fuzz_seeds CORPUS SEEDS\n");
    return 2;
  }
  try {
    for (const Property* property : properties::all()) {
      Seeds seeds(*property, argv[2]);
      for (const auto& entry : fs::recursive_directory_iterator(argv[1]))
        if (entry.path().string().ends_with(".case.json")) seeds.add(read_case(entry.path()).value);
      seeds.add_drawn();
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
  return 0;
}
