#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "failures.hpp"
#include "python_run.hpp"
#include "ulpfuzz/generators/generate.hpp"

namespace ulpfuzz::repro {
namespace {

namespace fs = std::filesystem;

/// Cases whose two paths differ a little on an honest subject, as if any difference were a failure:
/// programs of all ops, shapes and ways to evaluate.
class Sweep {
 public:
  Sweep(Language language, const Property& property, const char* subject, int count)
      : language_(language), property_(property), subject_(*known_subjects().find(subject)) {
    generators::Limits limits =
        property.needs_gradient ? generators::gradient_limits() : generators::Limits{};
    limits.depth = 5;
    limits.width = 7;
    limits.batch = 6;
    for (std::uint64_t i = 0; made_ < count && i < 5000; ++i)
      add(generators::case_from_seed(20240229, i, limits));
    EXPECT_EQ(made_, count);
  }

  /// Runs them in one process, which prints "a b" of each, and holds them against the verdicts.
  void run() {
    const std::string command =
        fmt::format("cd {} && {}/python3 -W ignore {}/tests/repro/run_programs.py {}",
                    folder_.string(), python_folder(language_).string(), ULPFUZZ_SOURCE_DIR, made_);
    std::FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    for (int i = 0; i < made_; ++i) {
      double a = 0;
      double b = 0;
      ASSERT_EQ(std::fscanf(pipe, "%la %la", &a, &b), 2) << folder_ << " program " << i;
      const ElementEvidence& e = evidence_[static_cast<std::size_t>(i)];
      EXPECT_NEAR(a, double{e.a}, e.bound) << e.where << " " << e.path_a << "\n"
                                           << texts_[static_cast<std::size_t>(i)];
      EXPECT_NEAR(b, e.path_b == "reference" ? e.reference : double{e.b}, e.bound)
          << e.where << " " << e.path_b << "\n"
          << texts_[static_cast<std::size_t>(i)];
    }
    EXPECT_EQ(pclose(pipe), 0);
    fs::remove_all(folder_);
  }

  int routes(const std::string& words) const {
    int n = 0;
    for (const ElementEvidence& e : evidence_)
      n += e.path_a.find(words) != std::string::npos || e.path_b.find(words) != std::string::npos;
    return n;
  }

 private:
  void add(const Case& c) {
    CheckContext context;
    Verdict v = property_.check(c, subject_, {}, context);
    if (v.outcome != Outcome::pass || !(v.worst.difference > 0) || v.worst.where.empty()) return;
    const ElementEvidence seen = v.worst;
    v.outcome = Outcome::fail;
    v.failure = FailureClass::beyond_bound;
    v.worst.bound = 0;
    const std::string text = program({c, property_, subject_, {}, v, "", ""}, language_, "p.py");
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
    std::ofstream(folder_ / fmt::format("{}.py", made_++)) << text;
    evidence_.push_back(seen);
    texts_.push_back(text);
  }

  static fs::path new_folder() {
    std::string name = (fs::temp_directory_path() / "ulpfuzz-sweep-XXXXXX").string();
    return mkdtemp(name.data());
  }

  Language language_;
  const Property& property_;
  const Subject& subject_;
  fs::path folder_ = new_folder();
  int made_ = 0;
  std::vector<ElementEvidence> evidence_;
  std::vector<std::string> texts_;
};

void sweep(Language language, int count) {
  if (const auto why = unavailable(language)) GTEST_SKIP() << *why;
  Sweep(language, properties::batched_vs_sliced, "eigen", count).run();
  Sweep gradients(language, properties::loop_vs_vectorized, "eigen", 2 * count);
  for (const char* words : {"the loop", "vectorized forward", "the batch of"})
    EXPECT_GT(gradients.routes(words), 0) << words;
  gradients.run();
}

TEST(PythonValues, OfNumpyAreThoseOfTheVerdict) { sweep(Language::numpy, 40); }
TEST(PythonValues, OfTorchAreThoseOfTheVerdict) { sweep(Language::torch, 40); }
TEST(PythonValues, OfJaxAreThoseOfTheVerdict) { sweep(Language::jax, 6); }

}  // namespace
}  // namespace ulpfuzz::repro
