#pragma once

#include <filesystem>
#include <string>

#include "ulpfuzz/network/case_file.hpp"
#include "ulpfuzz/runner/shrink_guarded.hpp"
#include "ulpfuzz/subjects/registry.hpp"

namespace CLI {
class App;
}

namespace ulpfuzz::tool {

/// The command line of `ulpfuzz shrink`.
struct ShrinkCommand {
  std::filesystem::path file, out, ladder;
  std::string subject, property, claim, confirm, json;
  bool fuzzer_input = false;
  bool verify = false;
  bool verbose = false;
  bool explain = true;
  GuardOptions options;
};

void add_options(CLI::App& verb, ShrinkCommand& command);

/// The case of the file, or the one that a libFuzzer target makes of its bytes. FileError.
CaseFile given_case(const ShrinkCommand& command);
/// The one asked for, else the one of the notes; std::invalid_argument where that is not one.
const Property& chosen_property(const ShrinkCommand& command, const CaseFile& file);
const Subject& chosen_subject(const ShrinkCommand& command, const CaseFile& file,
                              const Registry& subjects);
/// As asked for; else 1 of 1, but 3 of 5 for what does not repeat.
Confirmation chosen_confirmation(const ShrinkCommand& command, const CaseFile& file,
                                 const Subject& subject);

/// Throws std::invalid_argument if one of the outputs would overwrite the case or another output.
void check_outputs(const ShrinkCommand& command);

/// Is it a regular file or to be one, beside which others can stand?
bool is_a_place_for_files(const std::filesystem::path& path);

/// Looks for an edit that makes the case simpler and keeps its failure, in a child. The exit code.
int verify(const ShrinkCommand& command, const CaseFile& file, const Property& property,
           const Subject& subject);

}  // namespace ulpfuzz::tool
