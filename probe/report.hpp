#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ulpfuzz/probe/probe.hpp"

namespace ulpfuzz::probe {

template <class Texts>
std::string joined(const Texts& texts, std::string_view between) {
  std::string all;
  for (const auto& text : texts) {
    if (!all.empty()) all += between;
    all += text;
  }
  return all;
}

/// Messages that differ in numbers alone are one.
std::string without_numbers(std::string_view text);
/// A fault of the subject as a finding. What happened alike elsewhere becomes one with it.
void add_fault(Report& report, const std::string& where, const SubjectFault& fault);

/// Does the work; what the subject does wrong meanwhile becomes a finding, as nothing excuses it.
template <class Work>
void attempt(Report& report, const std::string& what, Work&& work) {
  try {
    std::forward<Work>(work)();
  } catch (const SubjectFault& fault) {
    add_fault(report, what, fault);
  }
}

/// "NaN", "-inf", "-0", or the number.
std::string word(float x);

inline void tell(const Options& options, const std::string& what) {
  if (options.progress) options.progress(what);
}

/// The parts of a probe.
void probe_sums(const Subject& subject, const Options& options, Report& report);
void probe_special_values(const Subject& subject, const Options& options, Report& report);
void probe_special_sums(const Subject& subject, const Options& options, Report& report);
void probe_indexing(const Subject& subject, const Options& options, Report& report);
void probe_functions(const Subject& subject, const Options& options, Report& report);
void probe_batch_sizes(const Subject& subject, const Options& options, Report& report);

}  // namespace ulpfuzz::probe
