#pragma once

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "support/folder.hpp"
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

/// Plain loops, with one product forgotten if so wanted, that are like CUDA: they work in the
/// process in which they worked first and not in what is forked from it, and an evaluation for
/// which `breaks` holds makes them fail in that process for good.
class DeviceLike final : public KernelSubject {
 public:
  using Breaks = std::function<bool(const Evaluation&)>;
  explicit DeviceLike(std::string name, Breaks breaks = {}, bool drops_last = false)
      : name_(std::move(name)), breaks_(std::move(breaks)), drops_last_(drops_last) {}
  std::string_view name() const override { return name_; }
  bool broken() const override { return broken_; }

 protected:
  void begin(const Evaluation& evaluation) const override {
    if (opened_in_ == 0) opened_in_ = getpid();
    if (opened_in_ != getpid())
      throw std::runtime_error("cudaSetDevice: cudaErrorInitializationError");
    if (broken_) throw std::runtime_error("cudaMemcpy: cudaErrorIllegalAddress, as before");
    if (!breaks_ || !breaks_(evaluation)) return;
    broken_ = true;
    throw std::runtime_error("cudaDeviceSynchronize: cudaErrorIllegalAddress");
  }
  void linear(const float* x, const float* w, const float* bias, std::size_t rows, std::size_t k,
              std::size_t n, float* y) const override {
    if (!drops_last_ || k < 2 || rows < 3) return KernelSubject::linear(x, w, bias, rows, k, n, y);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < n; ++i) {
        float sum = 0;
        for (std::size_t j = 0; j + 1 < k; ++j) sum += x[r * k + j] * w[i * k + j];
        y[r * n + i] = bias == nullptr ? sum : sum + bias[i];
      }
  }

 private:
  std::string name_;
  Breaks breaks_;
  bool drops_last_;
  mutable pid_t opened_in_ = 0;
  mutable bool broken_ = false;
};

/// Adds what depends on the process to each sum.
class ByProcess final : public KernelSubject {
 public:
  std::string_view name() const override { return "by_process"; }

 protected:
  void linear(const float* x, const float* w, const float* bias, std::size_t rows, std::size_t k,
              std::size_t n, float* y) const override {
    KernelSubject::linear(x, w, bias, rows, k, n, y);
    for (std::size_t i = 0; i < rows * n; ++i) y[i] += static_cast<float>(getpid());
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

using Scratch = testing_support::Folder;
using testing_support::content;

}  // namespace ulpfuzz::mutants
