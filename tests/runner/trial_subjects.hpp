#pragma once

#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

#include "ulpfuzz/subjects/kernel_subject.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace ulpfuzz::mutants {

/// Plain loops with something done before each evaluation.
class Staged final : public KernelSubject {
 public:
  using Act = std::function<void(const Evaluation&)>;
  Staged(std::string name, Act act) : name_(std::move(name)), act_(std::move(act)) {}
  std::string_view name() const override { return name_; }

 protected:
  void begin(const Evaluation& evaluation) const override { act_(evaluation); }

 private:
  std::string name_;
  Act act_;
};

/// Forgets the last product of every sum with at least two when it sees more than two rows.
class DropsLast final : public KernelSubject {
 public:
  std::string_view name() const override { return "drops_last"; }

 protected:
  void linear(const float* x, const float* w, const float* bias, std::size_t rows, std::size_t k,
              std::size_t n, float* y) const override {
    const std::size_t terms = k > 1 && rows > 2 ? k - 1 : k;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < n; ++i) {
        float sum = 0;
        for (std::size_t j = 0; j < terms; ++j) sum += x[r * k + j] * w[i * k + j];
        y[r * n + i] = bias == nullptr ? sum : sum + bias[i];
      }
  }
};

/// Evaluates nothing.
class Refuses final : public Subject {
 public:
  std::string_view name() const override { return "refuses"; }
  std::optional<std::string> unsupported(const Network&) const override { return "on principle"; }
  void evaluate(const Evaluation&) const override {}
};

class Unwritten final : public Subject {
 public:
  std::string_view name() const override { return "unwritten"; }
  void evaluate(const Evaluation&) const override {}
};

inline Registry only(std::unique_ptr<const Subject> subject) {
  Registry registry;
  registry.add(std::move(subject));
  return registry;
}

inline Registry staged(const char* name, Staged::Act act) {
  return only(std::make_unique<Staged>(name, std::move(act)));
}

/// A folder that goes away with the test.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ulpfuzz-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string content(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace ulpfuzz::mutants
