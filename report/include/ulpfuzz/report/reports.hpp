#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ulpfuzz/report/night.hpp"

namespace ulpfuzz::report {

/// summary.json of a folder that `ulpfuzz nightly`, `merge` or `run` reported into; of a plain run
/// as night_of() has it. FileError for anything else.
struct Found {
  Night night;
  bool plain_run = false;
};
Found read_report(const std::filesystem::path& folder);

/// A plain campaign as a night of one phase: what failed is new, or flaky. Cases relative to its
/// folder.
Night night_of(const CampaignResult& campaign);
/// Sets `minimal` and `boundary` of the buckets that have none, from their cases in `folder`; what
/// cannot be read is left out.
void describe_cases(Night& night, const std::filesystem::path& folder);

/// summary.json: docs/nightly-summary.md describes it. Lossless.
std::string to_json(const Night& night);
/// FileError that names `name` and the key for what is no summary of a night.
Night night_from_json(std::string_view text, const std::string& name);
/// For terminals.
std::string to_text(const Night& night);
/// report.md: for tickets and chats.
std::string to_markdown(const Night& night);
/// JUnit XML: a test case for each property and subject, phase, regression and bucket; known
/// buckets are skipped, flaky ones pass with a word, new, open and returned ones fail. Accounts
/// beside the cases are taken from `folder`, as far as they are there.
std::string to_junit(const Night& night, const std::filesystem::path& folder = {});
/// SARIF 2.1.0: a rule for each property and class, a result for each bucket.
std::string to_sarif(const Night& night);
/// One page that needs nothing else. Minimal cases, their accounts and programs (repro.cpp,
/// repro_torch.py, ... beside the case) are read from `folder`; what is not there is left out.
std::string to_html(const Night& night, const std::filesystem::path& folder);

/// Writes summary.json, summary.txt, report.md, junit.xml, results.sarif and index.html into
/// `folder`. Each, whatever becomes of the others; what could not be written is returned, a line a
/// file. `cases`: the folder of the night, if it is another; `summary`: the first two as well.
std::vector<std::string> write_reports(const Night& night, const std::filesystem::path& folder,
                                       const std::filesystem::path& cases = {},
                                       bool summary = true);

}  // namespace ulpfuzz::report
