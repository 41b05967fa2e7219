#include <fmt/format.h>

#include "../output_file.hpp"
#include "shrink_report.hpp"
#include "ulpfuzz/runner/files.hpp"

namespace ulpfuzz::tool {
namespace {

namespace fs = std::filesystem;

/// As write_case() has it, but a device stays one.
void write_result(const fs::path& path, const CaseFile& file) {
  if (path.extension() != ".case") return write_output(path, to_text(file));
  const auto bytes = to_bytes(file);
  write_output(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// `of`: what the cause is said of; a small case shows too little to name one.
CaseFile file_of(const ShrinkReport& r, const Shrunk& shrunk, const Verdict& of) {
  CaseFile file{shrunk.value, r.given.notes};
  file.notes.erase("boundary");
  file.notes["property"] = r.property.name;
  file.notes["subject"] = r.subject.name();
  if (!r.claim.empty()) file.notes["claim"] = r.claim;
  if (r.bitwise) file.notes["bitwise"] = "yes";
  file.notes["class"] = name(shrunk.verdict.failure);
  file.notes["cause"] = of.cause;
  file.notes["comment"] = shrunk.verdict.reason;
  return file;
}

/// X.min.case.json or X.case.json: X.severe.case.json
fs::path beside(const fs::path& minimal, const std::string& end) {
  const fs::path stem = with_end(minimal, "");
  return stem.extension() == ".min" ? fs::path(stem).replace_extension().string() + end
                                    : stem.string() + end;
}

std::string rung_name(int octave) { return fmt::format("share-2^{}.case.json", octave); }

}  // namespace

void write_minimal(ShrinkReport& r) {
  CaseFile file = file_of(r, {r.result.value, r.result.verdict}, r.result.before);
  // What `--verify` must hold the case against: shrinking kept half of this, up to twice the bound.
  file.notes["share_before"] = fmt::format("{}", r.result.before.share);
  if (const std::string line = r.findings.boundary_line(); !line.empty())
    file.notes["boundary"] = line;
  write_result(r.files.minimal, file);
}

void write_severe(ShrinkReport& r) {
  if (!r.result.severe) return;
  r.files.severe = beside(r.files.minimal, ".severe.case.json");
  write_result(r.files.severe, file_of(r, *r.result.severe, r.result.before));
}

void write_ladder(ShrinkReport& r, const fs::path& folder) {
  make_folder(folder);
  for (const Rung& rung : r.result.ladder) {
    r.files.rungs.push_back(folder / rung_name(rung.octave));
    write_result(r.files.rungs.back(), file_of(r, rung.least, r.result.before));
  }
}

void write_slips(ShrinkReport& r) {
  const fs::path folder = beside(r.files.minimal, ".slips");
  for (const auto& [bucket, slips] : r.slips.buckets()) {
    make_folder(folder / bucket);
    for (const Slips::Slip& slip : slips) {
      CaseFile file = file_of(r, slip.found, slip.found.verdict);
      file.notes["origin"] =
          fmt::format("met while ulpfuzz shrank {}", content_hash(r.given.value));
      auto& paths = r.files.slips[bucket];
      paths.push_back(folder / bucket / (content_hash(slip.found.value) + ".case.json"));
      write_result(paths.back(), file);
    }
  }
}

}  // namespace ulpfuzz::tool
