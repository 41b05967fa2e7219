#pragma once

#include <set>
#include <string>
#include <vector>

#include "../scene.hpp"
#include "dialect.hpp"
#include "layout.hpp"

namespace ulpfuzz::repro {

/// A program of C++ or of CUDA, written part by part; what differs is virtual.
class Program {
 public:
  /// Throws std::invalid_argument as program() does.
  Program(const Failure& failure, const std::string& file, Dialect dialect, bool device);
  virtual ~Program() = default;

  std::string write();
  const Scene& scene() const { return scene_; }

 protected:
  virtual std::string compiler() const = 0;
  virtual std::set<std::string> standard_headers() const = 0;
  /// What stands before functions of the device, and before variables that both sides read.
  virtual std::string device_mark() const = 0;
  virtual std::string managed_mark() const = 0;
  /// Defines Values.
  virtual std::string values_type() const = 0;
  /// Defines map, which applies a function to each element.
  virtual std::string map_helper() const = 0;
  virtual std::string array_kernel(const Kernel& kernel) const = 0;
  /// `last`: its result is what the function returns.
  virtual std::string statement(const Statement& statement, bool last) const = 0;

  const Layout& layout() const { return layout_; }
  /// Texts that some kernel needs, each once.
  std::vector<std::string> of_kernels(std::vector<std::string> Kernel::*member) const;
  /// As a function and a call of the host.
  std::string host_kernel(const Kernel& kernel) const;
  std::string host_statement(const Statement& statement, bool last) const;

 private:
  std::string command() const;
  std::string head() const;
  std::string headers() const;
  std::string globals() const;
  std::string kernels() const;
  std::string scalar_kernel(const Kernel& kernel) const;
  std::string data() const;
  std::string function(const Code& code) const;
  std::vector<std::string> results(const std::vector<CallText>& calls) const;

  const Failure& failure_;
  std::string file_;
  bool device_;
  Scene scene_;
  Dialect dialect_;
  Layout layout_;
};

/// Lines of main(): both results, the difference, the bound and the verdict, from expressions of
/// the results of the calls of path a and of path b.
std::string main_text(const Scene& scene, const std::vector<std::string>& a,
                      const std::vector<std::string>& b);

}  // namespace ulpfuzz::repro
