#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/subjects/subject.hpp"

namespace ulpfuzz {

/// The subjects that can be chosen, by name.
class Registry {
 public:
  /// Throws std::invalid_argument if the name is empty or taken.
  void add(std::unique_ptr<const Subject> subject);
  /// Adds all of `other`.
  void merge(Registry other) {
    for (auto& subject : other.subjects_) add(std::move(subject));
  }

  const Subject* find(std::string_view name) const;
  /// Those whose name matches one of the globs (`*` and `?`), in registration order; all for none.
  /// Throws std::invalid_argument for a glob that matches nothing, naming what there is.
  std::vector<const Subject*> select(std::span<const std::string> globs) const;
  std::vector<const Subject*> all() const;

 private:
  std::vector<std::unique_ptr<const Subject>> subjects_;
};

/// The honest subjects of this build: reference/fp64, reference/dd, loops, openblas, eigen,
/// simt/... and, with CUDA, cuda/..., cublas/... and cublaslt/...
Registry builtin_subjects();

/// Subjects made wrong on purpose, named "fault/...": they test the tester.
Registry planted_faults();

}  // namespace ulpfuzz
